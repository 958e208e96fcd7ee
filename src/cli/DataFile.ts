/** Where the command keeps its spans. */
import { statSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"

/** The file inside the data folder. */
export const fileName = "traces.db"

/** The variables that choose the data folder. */
export interface DataEnvironment {
  readonly TOOLSPAN_DATA?: string | undefined
  readonly XDG_DATA_HOME?: string | undefined
}

/** The default folder: `$TOOLSPAN_DATA`, else `$XDG_DATA_HOME/toolspan`, else `~/.local/share/toolspan`. */
export const dataFolder = (environment: DataEnvironment): string => {
  const { TOOLSPAN_DATA: chosen = "", XDG_DATA_HOME: shared = "" } = environment
  if (chosen !== "") return resolve(chosen)
  // The XDG specification says that a relative path is to be ignored.
  return shared.startsWith("/") ? join(shared, "toolspan") : join(homedir(), ".local", "share", "toolspan")
}

const extension = /\.(db|sqlite3?)$/

/** The database file that `--data` means: a file as it stands, `traces.db` in a folder. */
export const dataFile = (given: string | undefined, environment: DataEnvironment): string => {
  if (given === undefined) return join(dataFolder(environment), fileName)
  const path = resolve(given)
  const stat = statSync(path, { throwIfNoEntry: false })
  const isFile = stat === undefined ? extension.test(path) && !given.endsWith("/") : !stat.isDirectory()
  return isFile ? path : join(path, fileName)
}
