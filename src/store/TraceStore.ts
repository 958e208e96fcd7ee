/**
 * The contract of a store that spans are written to and read from.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { OtlpError } from "../otlp/OtlpError.ts"
import type { SpanRow } from "../otlp/SpanRow.ts"
import type { Encoding } from "../otlp/TraceRequest.ts"
import type { StoreUnavailable } from "./StoreError.ts"
import type { TraceReader } from "./TraceReader.ts"

/** What one `append` did. */
export interface Appended {
  readonly stored: number
  /** Spans that were there already (an exporter's retry). */
  readonly duplicates: number
}

/** What taking a request did: what is stored, and the spans that cannot be, with the reasons. */
export interface Taken extends Appended {
  readonly refused: number
  readonly reasons: ReadonlyArray<string>
}

/** What is kept: bytes in use, and spans that began at this time (unix nanoseconds) or later. */
export interface DropLimits {
  readonly maxBytes?: number | undefined
  readonly before?: bigint | undefined
}

/**
 * Keeps spans and finds them again; the reading methods are those of {@link TraceReader}.
 */
export class TraceStore extends Context.Service<TraceStore, TraceStore.Shape>()("toolspan/store/TraceStore") {}

export declare namespace TraceStore {
  /** What a store does. */
  interface Shape extends TraceReader.Shape {
    /**
     * Stores the rows of one request. MUST be all or nothing. When it succeeds the rows MUST survive the death of the
     * process (`kill -9`), in a store that has a file. A span that is already there (same trace and span id) MUST stay
     * as it is and counts as a duplicate. Every field of a row MUST come back from the reading methods as it was given:
     * NUL characters and megabytes of text included (text is well-formed Unicode: the decoder sees to it). MAY wait to share a transaction with other appends.
     * `encoded` has the `Span` messages that the rows were read from, in their order, or nothing: a store MAY keep these.
     */
    readonly append: (
      rows: ReadonlyArray<SpanRow>,
      encoded?: ReadonlyArray<Uint8Array>
    ) => Effect.Effect<Appended, StoreUnavailable>

    /**
     * Stores the spans of an encoded request, as `append` does; a store MAY have it, to decode where it writes. The body
     * is the store's from then on.
     */
    readonly take?: (body: Uint8Array, encoding: Encoding) => Effect.Effect<Taken, StoreUnavailable | OtlpError>

    /**
     * Takes spans out that are over a limit, those that arrived first before others, with all that is told by them; gives
     * how many. One step looks at `atMost` spans and is all or nothing. Calls that lose spans MUST be what the spans that
     * are left make of them.
     */
    readonly drop: (limits: DropLimits, atMost: number) => Effect.Effect<number, StoreUnavailable>
  }
}
