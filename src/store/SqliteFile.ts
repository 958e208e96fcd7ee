/**
 * Opens the store's file, and refuses what is not ours without touching it.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Fault } from "../otlp/Fault.ts"
import * as CutFile from "./CutFile.ts"
import * as Sql from "./Sql.ts"
import {
  type OpenError,
  StoreCorrupt,
  StoreOutdated,
  StoreMissing,
  StoreTooNew,
  StoreUnavailable
} from "./StoreError.ts"

/** The schema version that this toolspan writes (`PRAGMA user_version`), and the newest that it reads. */
export const version = 4

/** `PRAGMA application_id`: "TSpn", so that another program's database is not taken for ours. */
const applicationId = 0x5453706e

/** How long a statement waits for another process' write, in milliseconds. */
const patience = 2_000

/** Up to this size (bytes) the whole file is checked before it is written to: about half a second. */
const checkedUpTo = 64 * 1024 * 1024

const magic = "SQLite format 3\0"

/** What a database is called. */
const databaseName = /\.(db|sqlite3?)$/

/** The lock's own file, beside the one that a link may stand for. */
export const lockOf = (file: string): string => `${fs.realpathSync(file)}.lock`

/**
 * Whether a file that does not begin as a database was one of ours: `toolspan dev` has left its lock beside it, or it is the
 * beginning of one, or zeros, which a power cut leaves. Anything else is not ours to move.
 */
const wasOurs = (file: string, begin: string): boolean =>
  fs.existsSync(lockOf(file)) || magic.startsWith(begin) || (databaseName.test(file) && /^\0+$/.test(begin))

/** SQLite's primary result codes. */
const code = { error: 1, busy: 5, readOnly: 8, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const

const explanations: Readonly<Record<number, string>> = {
  [code.busy]: `another process writes to it and did not let go within ${patience / 1000} s`,
  [code.readOnly]: "it may not be written to",
  [code.full]: "the disk is full, free some space",
  [code.cannotOpen]: "it, or a file beside it, cannot be opened"
}

const primaryCode = (error: unknown): number => ((error as { readonly errcode?: number }).errcode ?? 0) & 0xff

/** Whether another connection holds what was to be locked. */
export const isBusy = (error: unknown): boolean => primaryCode(error) === code.busy

/** The text of an error of any kind, with what SQLite's own words mean. */
export const reasonOf = (error: unknown): string => {
  const said = error instanceof Error ? error.message : error instanceof Fault ? error.reason : String(error)
  const meant = explanations[primaryCode(error)]
  return meant === undefined ? said : `${meant} (${said})`
}

/** Whether a stored span could not be read: neither SQLite nor the file system nor a mistake of ours says so. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof Fault || error instanceof RangeError
  || (error instanceof Error && error.name === "Error" && !("errno" in error) && !("errcode" in error))

/** What an error of SQLite or of the file system means for the one who opens the file. */
const openErrorOf = (file: string, error: unknown): OpenError => {
  if (
    error instanceof StoreCorrupt || error instanceof StoreTooNew || error instanceof StoreMissing ||
    error instanceof StoreOutdated || error instanceof StoreUnavailable
  ) {
    return error
  }
  const primary = primaryCode(error)
  // A table that is missing is plain "error".
  const damaged = primary === code.corrupt || primary === code.notADatabase || primary === code.error
    || isUnreadable(error)
  return damaged
    ? new StoreCorrupt({ path: file, reason: reasonOf(error) })
    : new StoreUnavailable({ path: file, reason: reasonOf(error) })
}

/** Reads one number that a pragma answers. */
export const pragma = (database: DatabaseSync, name: string): number =>
  Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])

const ofAnotherProgram = (file: string): StoreCorrupt =>
  new StoreCorrupt({ path: file, reason: "it is a database of another program", foreign: true })

/** Looks at the first page, before SQLite may change anything. Answers whether there is something in the file. */
const checkHeader = (file: string): boolean => {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return false
  // To open a pipe is to wait for whoever writes to it.
  if (!stat.isFile()) throw new StoreUnavailable({ path: file, reason: "it is no regular file: choose another one" })
  const descriptor = fs.openSync(file, "r")
  const header = Buffer.alloc(100)
  const read = fs.readSync(descriptor, header, 0, header.length, 0)
  const size = fs.fstatSync(descriptor).size
  fs.closeSync(descriptor)
  if (size === 0) return false
  if (read < header.length || header.toString("latin1", 0, 16) !== magic) {
    const foreign = wasOurs(file, header.toString("latin1", 0, Math.min(read, magic.length))) ? {} : { foreign: true }
    throw new StoreCorrupt({ path: file, reason: "it is not a SQLite database", ...foreign })
  }
  const found = header.readUInt32BE(60)
  const application = header.readUInt32BE(68)
  // Opened with SQLite, even for reading, a database with a write-ahead log gets files beside it. In a new one of ours the
  // log may be all that has tables.
  const tables = header.readUInt32BE(40)
  if (application !== applicationId && (application !== 0 || tables !== 0)) throw ofAnotherProgram(file)
  if (application === applicationId && found > version) throw new StoreTooNew({ path: file, found, supported: version })
  const whole = CutFile.sizeOf(header)
  // While a write-ahead log is there, pages that the file is to have may be in it only.
  const logged = (fs.statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (!logged && size < whole) {
    throw new StoreCorrupt({ path: file, reason: `it is cut: ${size} of ${whole} bytes are there` })
  }
  return true
}

/** Checks what only SQLite can read, write-ahead log included. Answers whether the schema is there. */
const checkContent = (file: string, database: DatabaseSync): boolean => {
  const application = pragma(database, "application_id")
  const found = pragma(database, "user_version")
  const tables = pragma(database, "schema_version")
  if (application === 0 && found === 0 && tables === 0) return false
  if (application !== applicationId) {
    throw ofAnotherProgram(file)
  }
  if (found > version) throw new StoreTooNew({ path: file, found, supported: version })
  return true
}

const checkWhole = (file: string, database: DatabaseSync): void => {
  if (fs.statSync(file).size > checkedUpTo) return
  const answer = Object.values(database.prepare("pragma quick_check(1)").get() ?? {})[0]
  if (answer !== "ok") throw new StoreCorrupt({ path: file, reason: String(answer) })
}

/** Runs a check on a connection that cannot write. */
const inspect = <A>(file: string, check: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: patience })
  try {
    return check(database)
  } finally {
    database.close()
  }
}

const create = (database: DatabaseSync): void => {
  database.exec("begin immediate")
  // Another process may have made it while we waited.
  if (pragma(database, "user_version") === 0) {
    database.exec(`${Sql.read("schema")};${Sql.read("derived")}`)
    database.exec(`pragma application_id = ${applicationId}; pragma user_version = ${version}`)
  }
  database.exec("commit")
}

/** Runs `make` on an open database, which is closed when that fails. */
const closing = <A>(database: DatabaseSync, make: (database: DatabaseSync) => A): Opened<A> => {
  try {
    return { database, made: make(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

interface Opened<A> {
  readonly database: DatabaseSync
  readonly made: A
}

/** One level at a time: Node's own way tries for ever where a folder cannot be made, as in /proc. */
const makeFolder = (folder: string): void => {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!fs.existsSync(folder)) throw error
  }
}

/** Makes an empty file where there is none, with the rights of its owner only. */
export const makeFile = (file: string): void => {
  if (!fs.existsSync(file)) fs.closeSync(fs.openSync(file, "a", 0o600))
}

/** Makes an empty file where there is none, and refuses what is another program's; a damaged one passes. */
export const prepare = (file: string): Effect.Effect<void, OpenError> =>
  Effect.try({
    try: () => {
      makeFolder(path.dirname(file))
      checkHeader(file)
      makeFile(file)
    },
    catch: (error) => openErrorOf(file, error)
  }).pipe(Effect.catchTag("StoreCorrupt", (error) => error.foreign === true ? Effect.fail(error) : Effect.void))

const openForWriting = <A>(file: string, make: (database: DatabaseSync) => A): Opened<A> => {
  // What tools were called with may be in the file: it, and a folder that we make, is for its owner only.
  makeFolder(path.dirname(file))
  const there = checkHeader(file) && inspect(file, (database) => {
    const schema = checkContent(file, database)
    checkWhole(file, database)
    return schema
  })
  // SQLite gives the files beside it the same rights.
  makeFile(file)
  return closing(new DatabaseSync(file, { timeout: patience }), (database) => {
    // In WAL mode "normal" loses nothing when the process dies, only when the machine does. A log of 32 MB instead of 4
    // lets pages that change again and again be copied into the file once: a sixth less time for a span. A log that grew
    // while somebody read for long is cut to that again.
    database.exec(
      "pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -16000; pragma wal_autocheckpoint = 8000;"
        + "pragma journal_size_limit = 33554432"
    )
    if (!there) create(database)
    return make(database)
  })
}

const openForReading = <A>(file: string, make: (database: DatabaseSync) => A): Opened<A> => {
  if (!checkHeader(file)) throw new StoreMissing({ path: file })
  return closing(new DatabaseSync(file, { readOnly: true, timeout: patience }), (database) => {
    if (!checkContent(file, database)) throw new StoreMissing({ path: file })
    const found = pragma(database, "user_version")
    if (found < version) throw new StoreOutdated({ path: file, found })
    return make(database)
  })
}

/**
 * What `make` makes of a connection that is closed with its scope. Statements are compiled against the schema: a table
 * that is missing or damaged shows there.
 */
export const open = <A>(
  file: string,
  mode: "read" | "write",
  make: (database: DatabaseSync) => A
): Effect.Effect<A, OpenError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => mode === "write" ? openForWriting(file, make) : openForReading(file, make),
        catch: (error) => openErrorOf(file, error)
      }),
      ({ database }) => Effect.sync(() => database.close())
    ),
    ({ made }) => made
  )
