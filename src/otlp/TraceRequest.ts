/**
 * A request body to rows: the door of this folder.
 */
import * as Result from "effect/Result"
import { Excess, Fault } from "./Fault.ts"
import { refusal } from "./identity.ts"
import * as JsonDecoder from "./JsonDecoder.ts"
import * as JsonText from "./JsonText.ts"
import { NotOtlp, type OtlpError, TooManyValues } from "./OtlpError.ts"
import * as ProtobufDecoder from "./ProtobufDecoder.ts"
import * as Refusals from "./Refusals.ts"
import type { SpanRow } from "./SpanRow.ts"
import { WireReader } from "./WireReader.ts"

/** How a body is written. */
export type Encoding = "json" | "protobuf"

/** A decoded request: the spans that can be stored, and those that cannot. */
export interface TraceRequest {
  readonly rows: ReadonlyArray<SpanRow>
  /** The `Span` messages that the rows were read from, in their order; none of JSON. They are parts of the body. */
  readonly encoded: ReadonlyArray<Uint8Array>
  /** How many spans are refused. */
  readonly refused: number
  /** Why, each reason once with the places of its spans in the request: 10 reasons and 10 places at most, the rest counted. */
  readonly reasons: ReadonlyArray<string>
}

/** Why reading stopped. `pbf` and typed arrays throw plain errors where a body is cut; anything else is as unreadable. */
const errorOf = (encoding: Encoding) => (error: unknown): OtlpError => {
  if (error instanceof Excess) return new TooManyValues({ limit: error.limit, of: error.of })
  if (error instanceof Fault) return new NotOtlp({ encoding, reason: error.reason })
  return new NotOtlp({ encoding, reason: "the body is cut or damaged" })
}

/** Decodes an `ExportTraceServiceRequest`. Total: every body gives a request or an error, and never throws. */
export const decode = (body: Uint8Array, encoding: Encoding): Result.Result<TraceRequest, OtlpError> =>
  Result.try({
    try: () => {
      const rows: Array<SpanRow> = []
      const encoded: Array<Uint8Array> = []
      const refusals = Refusals.make()
      const refuse = (reason: string): void => refusals.add(reason, rows.length + refusals.count() + 1)
      const take = (row: SpanRow, message?: Uint8Array): void => {
        const reason = refusal(row)
        if (reason !== undefined) return refuse(reason)
        rows.push(row)
        if (message !== undefined) encoded.push(message)
      }
      if (encoding === "json") JsonDecoder.request(JsonText.parse(body), take, refuse)
      else ProtobufDecoder.request(new WireReader(body), take, refuse)
      return { rows, encoded, refused: refusals.count(), reasons: refusals.reasons() }
    },
    catch: errorOf(encoding)
  })
