/** What the store has for a call that may run only once: that its run began, or the result of it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A tool as far as a record needs it. */
export interface OnceTool {
  readonly name: string
  readonly successSchema?: Schema.Constraint | undefined
}

/** A record as it was found: of a run that began, of one that ended, or nothing that can be read. */
export type OnceRecord =
  | { readonly _tag: "Started" }
  | { readonly _tag: "Done"; readonly result: unknown }
  | { readonly _tag: "Unreadable" }

/** A result as JSON and back: by the tool's own schema where there is one. */
export interface Codec {
  readonly encode: (result: unknown) => Effect.Effect<unknown, unknown>
  readonly decode: (json: unknown) => Effect.Effect<unknown, unknown>
}

const bare: Codec = { encode: Effect.succeed, decode: Effect.succeed }

/** The codec of a tool. */
export const codecOf = (tool: OnceTool): Codec => {
  if (tool.successSchema === undefined) return bare
  // What the schema needs of its surroundings, the host needs too, and the handler runs in them.
  const codec = Schema.toCodecJson(tool.successSchema) as unknown as Schema.Codec<unknown, unknown>
  return { encode: Schema.encodeUnknownEffect(codec), decode: Schema.decodeUnknownEffect(codec) }
}

/** The text of a run that began. */
export const started = JSON.stringify({ v: 1, state: "started" })

/** The text of a run that ended; fails when the result is no JSON. */
export const done = (codec: Codec, result: unknown): Effect.Effect<string, unknown> =>
  Effect.flatMap(
    codec.encode(result),
    (encoded) =>
      Effect.try({
        try: () => JSON.stringify({ v: 1, state: "done", result: encoded }),
        catch: () => "no JSON" as const
      })
  )

const parsed = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Union([
    Schema.Struct({ v: Schema.Literal(1), state: Schema.Literal("started") }),
    Schema.Struct({ v: Schema.Literal(1), state: Schema.Literal("done"), result: Schema.optionalKey(Schema.Unknown) })
  ]))
)

/** Reads a record. */
export const read = (codec: Codec, text: string): Effect.Effect<OnceRecord> =>
  parsed(text).pipe(
    Effect.flatMap((record): Effect.Effect<OnceRecord, unknown> =>
      record.state === "started"
        ? Effect.succeed({ _tag: "Started" })
        : Effect.map(codec.decode(record.result), (result) => ({ _tag: "Done", result }))
    ),
    Effect.orElseSucceed((): OnceRecord => ({ _tag: "Unreadable" }))
  )
