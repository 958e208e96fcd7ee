/**
 * Keeps a second writer off a store's file: two would take out each other's spans, each by its own limits.
 */
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SqliteFile from "./SqliteFile.ts"
import { type OpenError, StoreKept, StoreUnavailable } from "./StoreError.ts"

/**
 * The lock's file stays: to delete it would race with the next to lock. The transaction is held, not the file's content:
 * the system ends it with the process, however that ends. The number of the process is stored before, as nobody could read
 * it otherwise.
 */
const begin = (file: string, lock: string): DatabaseSync => {
  SqliteFile.makeFile(lock)
  const database = new DatabaseSync(lock, { timeout: 0 })
  try {
    database.exec(`begin immediate; pragma user_version = ${process.pid}; commit; begin immediate`)
    return database
  } catch (error) {
    const busy = SqliteFile.isBusy(error)
    const holder = busy ? SqliteFile.pragma(database, "user_version") : 0
    database.close()
    throw busy ? new StoreKept({ path: file, ...(holder > 0 ? { pid: holder } : {}) }) : error
  }
}

/**
 * Locks the file for one writer until the scope ends; readers are not asked. Makes the file where there is none; fails with
 * `StoreKept` where another process has it, and as opening does where it is not ours. Where the folder knows no locks, this
 * is logged, and nothing is locked.
 */
export const take = Effect.fnUntraced(function*({ path: file }: { readonly path: string }) {
  yield* SqliteFile.prepare(file)
  const lock = Effect.try({
    try: () => begin(file, SqliteFile.lockOf(file)),
    catch: (error) =>
      error instanceof StoreKept ? error : new StoreUnavailable({ path: file, reason: SqliteFile.reasonOf(error) })
  })
  yield* Effect.acquireRelease(lock, (database) => Effect.sync(() => database.close())).pipe(
    Effect.catchTag(
      "StoreUnavailable",
      ({ reason }) =>
        Effect.logWarning(`${file} cannot be locked (${reason}): a second toolspan dev on it would not be noticed.`)
    )
  )
}) satisfies (options: { readonly path: string }) => Effect.Effect<void, OpenError | StoreKept, Scope.Scope>
