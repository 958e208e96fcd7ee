/**
 * Moves a damaged store out of the way, so that a new one can begin; nothing of it is deleted.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { reasonOf } from "./SqliteFile.ts"
import { type StoreCorrupt, StoreUnavailable } from "./StoreError.ts"

/** `2026-12-01T03-04-05-678Z`: no colon, which Windows does not take. */
const stamp = (millis: number): string => new Date(millis).toISOString().replaceAll(/[:.]/g, "-")

/** The number of the file at this path; another one after it was replaced. */
export const identityOf = (file: string): bigint | undefined =>
  fs.statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

/** The write-ahead log goes first: a new file must not find it, as SQLite would play it back. */
const suffixes = ["-wal", "-shm", ""]

const move = (file: string, to: string): void => {
  for (const suffix of suffixes) {
    if (fs.existsSync(`${file}${suffix}`)) fs.renameSync(`${file}${suffix}`, `${to}${suffix}`)
  }
}

/**
 * Renames a damaged file to `<file>.corrupt-<time>`, with what SQLite keeps beside it, and says so. A file that is not the
 * one that was looked at any more (another process was faster) stays.
 */
export const setAside = Effect.fnUntraced(function*(
  { path: file, reason }: Pick<StoreCorrupt, "path" | "reason">,
  looked: bigint | undefined
) {
  const to = `${file}.corrupt-${stamp(yield* Clock.currentTimeMillis)}`
  const moved = yield* Effect.try({
    try: () => {
      if (identityOf(file) !== looked) return false
      move(file, to)
      return true
    },
    catch: (error) =>
      new StoreUnavailable({ path: file, reason: `it is damaged, and cannot be renamed: ${reasonOf(error)}` })
  })
  if (moved) {
    yield* Effect.logWarning(`${file} is damaged (${reason}). It was set aside as ${to}, and a new one begins.`)
  }
})

/** The files that were set aside beside this one, the oldest first, with their sizes in bytes. */
export const asideOf = (file: string): ReadonlyArray<{ readonly path: string; readonly bytes: number }> => {
  const folder = path.dirname(file)
  const begin = `${path.basename(file)}.corrupt-`
  if (!fs.existsSync(folder)) return []
  return fs.readdirSync(folder)
    .filter((name) => name.startsWith(begin) && !/-(wal|shm)$/.test(name))
    .toSorted()
    .map((name) => path.join(folder, name))
    .map((there) => ({ path: there, bytes: fs.statSync(there).size }))
}
