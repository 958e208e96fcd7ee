/**
 * The statements of the SQLite store, one in a file of its own.
 */
import * as fs from "node:fs"

/** Reads `sql/<name>.sql`, which stands beside this module in `src` and in `dist`. */
export const read = (name: string): string => fs.readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8")
