/**
 * A store in one SQLite file (WAL): one process writes while others read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as CorruptFile from "./CorruptFile.ts"
import * as Migration from "./Migration.ts"
import * as SqliteFile from "./SqliteFile.ts"
import * as SqliteReader from "./SqliteReader.ts"
import * as SqliteWriter from "./SqliteWriter.ts"
import type { OpenError } from "./StoreError.ts"
import { TraceReader } from "./TraceReader.ts"
import { TraceStore } from "./TraceStore.ts"

/** Where the file is; its folder is made when it is not there. */
export interface Options {
  readonly path: string
}

/** A store whose file can be made whole without its log. */
export interface SqliteStore extends TraceStore.Shape, Pick<SqliteWriter.Writer, "checkpoint"> {}

const open = ({ path }: Options): Effect.Effect<SqliteStore, OpenError, Scope.Scope> =>
  SqliteFile.open(path, "write", (database) => {
    const found = SqliteFile.pragma(database, "user_version")
    Migration.migrate(database, path, found, SqliteFile.version)
    const { append, checkpoint, drop } = SqliteWriter.make(database, path)
    return { ...SqliteReader.make(database, path), append, drop, checkpoint }
  })

/**
 * Opens the file for writing and reading; makes it when it is not there. Refuses a foreign or newer file; a damaged one is
 * renamed to `<file>.corrupt-<time>`, which is logged, and a new one begins.
 */
export const make = Effect.fnUntraced(function*(options: Options) {
  const looked = CorruptFile.identityOf(options.path)
  return yield* open(options).pipe(
    Effect.catchTag("StoreCorrupt", (error) =>
      error.foreign === true
        ? Effect.fail(error)
        : Effect.andThen(CorruptFile.setAside(error, looked), open(options)))
  )
}) satisfies (options: Options) => Effect.Effect<SqliteStore, OpenError, Scope.Scope>

/**
 * Opens the file for reading, also while another process writes to it. Fails with `StoreMissing` where there is none; a
 * damaged file is only reported.
 */
export const makeReader = (options: Options): Effect.Effect<TraceReader.Shape, OpenError, Scope.Scope> =>
  SqliteFile.open(options.path, "read", (database) => SqliteReader.make(database, options.path))

/** The store in this file, for writing and reading. */
export const layer = (options: Options): Layer.Layer<TraceStore | TraceReader, OpenError> =>
  Layer.effectContext(
    Effect.map(make(options), (store) => Context.make(TraceStore, store).pipe(Context.add(TraceReader, store)))
  )
