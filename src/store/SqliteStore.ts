/**
 * A store in one SQLite file (WAL): one process writes while others read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Migration from "./Migration.ts"
import * as SqliteFile from "./SqliteFile.ts"
import * as SqliteReader from "./SqliteReader.ts"
import * as SqliteWriter from "./SqliteWriter.ts"
import { type OpenError, StoreCorrupt } from "./StoreError.ts"
import { TraceReader } from "./TraceReader.ts"
import { TraceStore } from "./TraceStore.ts"

/** Where the file is; its folder is made when it is not there. */
export interface Options {
  readonly path: string
}

/** Statements are compiled against the schema: a table that is missing or damaged shows here. */
const prepare = <A>(path: string, make: () => A): Effect.Effect<A, StoreCorrupt> =>
  Effect.try({ try: make, catch: (error) => new StoreCorrupt({ path, reason: SqliteFile.reasonOf(error) }) })

/** Opens the file for writing and reading; makes it when it is not there. Refuses a foreign, newer or damaged file. */
export const make = Effect.fnUntraced(function*(options: Options) {
  const database = yield* SqliteFile.open(options.path, "write")
  return yield* prepare(options.path, (): TraceStore.Shape => {
    const found = SqliteFile.pragma(database, "user_version")
    Migration.migrate(database, options.path, found, SqliteFile.version)
    const { append, drop } = SqliteWriter.make(database, options.path)
    return { ...SqliteReader.make(database, options.path), append, drop }
  })
}) satisfies (options: Options) => Effect.Effect<TraceStore.Shape, OpenError, Scope.Scope>

/** Opens the file for reading, also while another process writes to it. Fails with `StoreMissing` where there is none. */
export const makeReader = Effect.fnUntraced(function*(options: Options) {
  const database = yield* SqliteFile.open(options.path, "read")
  return yield* prepare(options.path, () => SqliteReader.make(database, options.path))
}) satisfies (options: Options) => Effect.Effect<TraceReader.Shape, OpenError, Scope.Scope>

/** The store in this file, for writing and reading. */
export const layer = (options: Options): Layer.Layer<TraceStore | TraceReader, OpenError> =>
  Layer.effectContext(
    Effect.map(make(options), (store) => Context.make(TraceStore, store).pipe(Context.add(TraceReader, store)))
  )
