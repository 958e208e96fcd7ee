/**
 * Reads the answers of foreign stores: what is not of the documented shape is an error that says so.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { SpanRow } from "../otlp/SpanRow.ts"
import * as TraceRequest from "../otlp/TraceRequest.ts"
import { shown } from "./RemoteHttp.ts"
import { StoreUnavailable } from "./StoreError.ts"

const wrong = (name: string, reason: string) =>
  new StoreUnavailable({ path: name, reason: `its answer cannot be read: ${reason}` })

/** JSON of this shape. */
export const json = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(Schema.fromJsonString(schema))
  return (name: string, body: Uint8Array): Effect.Effect<A, StoreUnavailable> =>
    Effect.suspend(() => {
      const found = decode(new TextDecoder().decode(body))
      return Result.isSuccess(found)
        ? Effect.succeed(found.success)
        : Effect.fail(wrong(name, shown(found.failure.message)))
    })
}

/** The spans of one trace, each once; a span of another trace makes the answer wrong. */
export const spans = (
  name: string,
  traceId: string,
  body: Uint8Array,
  encoding: TraceRequest.Encoding
): Effect.Effect<ReadonlyArray<SpanRow>, StoreUnavailable> =>
  Effect.suspend(() => {
    const decoded = TraceRequest.decode(body, encoding)
    if (Result.isFailure(decoded)) return Effect.fail(wrong(name, decoded.failure.message))
    const { reasons, rows } = decoded.success
    if (reasons.length > 0) return Effect.fail(wrong(name, reasons.join(", ")))
    if (rows.some((row) => row.traceId !== traceId)) return Effect.fail(wrong(name, "it has spans of another trace"))
    const once = new Map<string, SpanRow>()
    for (const row of rows) if (!once.has(row.spanId)) once.set(row.spanId, row)
    return Effect.succeed([...once.values()])
  })

/** A trace id with the zeros that some stores leave out in front; `undefined` when it is none. */
export const traceIdOf = (text: string): string | undefined =>
  /^[0-9a-fA-F]{1,32}$/.test(text) ? text.toLowerCase().padStart(32, "0") : undefined

/** Trace ids, each once, as a search answers. */
export const traceIds = (
  name: string,
  texts: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, StoreUnavailable> => {
  const ids = texts.map(traceIdOf)
  return ids.includes(undefined)
    ? Effect.fail(wrong(name, "a trace id is not hex"))
    : Effect.succeed([...new Set(ids as ReadonlyArray<string>)])
}
