/** Asks the stored file, whether `toolspan dev` runs or not. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Query from "../query/Query.ts"
import * as Backend from "../store/Backend.ts"
import type { Question } from "../store/Capability.ts"
import * as SqliteStore from "../store/SqliteStore.ts"
import type { TraceReader } from "../store/TraceReader.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { dataFile } from "./DataFile.ts"
import { inert } from "./InertText.ts"

/** Where the spans are kept. */
export const dataFlag = Flag.Path("data").pipe(
  Flag.withMetavar("<file or folder>"),
  Flag.withDescription("Where the spans are kept. Default: $TOOLSPAN_DATA, else ~/.local/share/toolspan"),
  Flag.optional
)

/** A team's trace store in place of a file. */
const backendFlag = Flag.String("backend").pipe(
  Flag.withMetavar("<tempo=URL or jaeger=URL>"),
  Flag.withDescription(
    "Ask a team's trace store instead. ?days=30&traces=500 after the URL widens the search, a token is taken from "
      + "$TOOLSPAN_BACKEND_TOKEN"
  ),
  Flag.optional
)

/** Which spans a command asks for. */
export const placeFlags = { data: dataFlag, backend: backendFlag }

/** The flags as they were given. */
export interface PlaceFlags {
  readonly data: Option.Option<string>
  readonly backend: Option.Option<string>
}

/** One JSON object a line instead of text for people. */
export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON object a line, for scripts"),
  Flag.withDefault(false)
)

const variable = (name: string) => Effect.map(Effect.orDie(Config.option(Config.String(name))), Option.getOrUndefined)

/** The database file that the flag and the environment mean. */
export const fileOf = Effect.fnUntraced(function*(data: Option.Option<string>) {
  const environment = {
    TOOLSPAN_DATA: yield* variable("TOOLSPAN_DATA"),
    XDG_DATA_HOME: yield* variable("XDG_DATA_HOME")
  }
  if (Option.getOrUndefined(data) === "") {
    return yield* new CommandFailure({ message: "--data wants a file or a folder" })
  }
  return yield* Effect.try({
    try: () => dataFile(Option.getOrUndefined(data), environment),
    catch: (cause) => new CommandFailure({ message: `--data cannot be used: ${reasonOf(cause)}` })
  })
})

const reasonOf = (cause: unknown) => cause instanceof Error ? cause.message : String(cause)

/** Any failure of the store, as the end of the command. */
export const failed = (error: { readonly message: string }) => new CommandFailure({ message: error.message })

/** Ends the command with this failure of the store. */
export const refused = (error: { readonly message: string }) => Effect.fail(failed(error))

/** What a command asks: stored spans, and tool calls made of them. */
export interface Source {
  readonly reader: TraceReader.Shape
  readonly query: Query.Query.Shape
}

/** Where spans are, by a name for people. */
export interface Place {
  readonly name: string
  /** Opens it for reading, until the scope ends. */
  readonly open: Effect.Effect<Source, CommandFailure, Scope.Scope>
}

const fileAt = (file: string): Place => ({
  name: file,
  open: SqliteStore.makeReader({ path: file }).pipe(
    Effect.map((reader) => ({ reader, query: Query.make(reader) })),
    Effect.mapError(failed)
  )
})

const backendAt = Effect.fnUntraced(function*(given: string) {
  const backend = yield* Backend.parse(given, yield* variable("TOOLSPAN_BACKEND_TOKEN"))
  const reader = yield* Backend.makeReader(backend)
  return { name: backend.name, open: Effect.succeed({ reader, query: Query.make(reader) }) } satisfies Place
}, Effect.mapError(failed))

/** The place that the flags and the environment mean. */
export const placeOf = Effect.fnUntraced(function*(flags: PlaceFlags): Effect.fn.Return<Place, CommandFailure> {
  if (Option.isNone(flags.backend)) return fileAt(yield* fileOf(flags.data))
  if (Option.isSome(flags.data)) {
    return yield* new CommandFailure({ message: "--data and --backend name two places: leave one of them out" })
  }
  return yield* backendAt(flags.backend.value)
})

/** What the place says of questions that it answers with less, as notes. */
export const reservations = ({ reader }: Source, questions: ReadonlyArray<Question>): ReadonlyArray<string> => {
  const { engine, partial } = reader.capabilities
  return partial.filter(({ question }) => questions.includes(question)).map(({ instead, reason }) =>
    inert(`${engine} answers with less: ${reason}. ${instead}.`)
  )
}
