/**
 * The reading half of the store's contract, which a remote engine can implement too.
 *
 * Words: a **call span** is a span that tells something of a tool call: it has `toolspan.stage`, `toolspan.call.key`,
 * `gen_ai.tool.call.id`, or `gen_ai.operation.name` = `execute_tool`.
 *
 * Every lookup MUST compare ids and text byte by byte (no case folding, no trimming, no patterns), MUST give each span
 * at most once, and MUST answer an unknown id with an empty list, not an error. A span is visible as soon as the `append`
 * that brought it has succeeded.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SpanRow } from "../otlp/SpanRow.ts"
import type { StoreUnavailable } from "./StoreError.ts"

/** A span's identity: 32 and 16 lower-case hex digits. */
export interface SpanAddress {
  readonly traceId: string
  readonly spanId: string
}

/**
 * A stored span and its place in the store: `sequence` is unique within one store and grows with arrival.
 */
export interface StoredSpan {
  readonly sequence: number
  readonly row: SpanRow
}

/** A stored span that links to the span that was asked for. */
export interface IncomingLink {
  readonly from: StoredSpan
  /** The link's `toolspan.link.type`; `""` for a link of another origin. */
  readonly type: string
}

/**
 * Which call spans to find; what is not given does not restrict. All given must hold for one and the same span.
 */
export interface CallSpanFilter {
  /** `gen_ai.tool.call.id`. */
  readonly id?: string | undefined
  /** `toolspan.call.key`. */
  readonly key?: string | undefined
  /** `gen_ai.tool.name`, or `toolspan.tool.requested_name` for a tool that the model invented. */
  readonly tool?: string | undefined
  /** `toolspan.stage`. */
  readonly stage?: string | undefined
  /** `toolspan.approval.state`. */
  readonly state?: string | undefined
  /** `toolspan.outcome`. */
  readonly outcome?: string | undefined
  /** `gen_ai.conversation.id`. */
  readonly conversation?: string | undefined
  /** `service.name` of the resource. */
  readonly service?: string | undefined
  /** Start time in unix nanoseconds, this one included. */
  readonly from?: bigint | undefined
  /** Start time in unix nanoseconds, this one excluded. */
  readonly until?: bigint | undefined
  /** Continue after this span of an earlier answer: the next page. */
  readonly after?: { readonly start: bigint; readonly sequence: number } | undefined
}

/** How much is in the store. */
export interface StoreStats {
  readonly spans: number
  readonly callSpans: number
  readonly traces: number
  /** Size on disk (or an estimate in memory), in bytes. */
  readonly bytes: number
  /** Start of the oldest and of the newest span, in unix nanoseconds; absent in an empty store. */
  readonly oldest?: bigint
  readonly newest?: bigint
}

/** Reads a store of spans. */
export class TraceReader extends Context.Service<TraceReader, TraceReader.Shape>()("toolspan/store/TraceReader") {}

export declare namespace TraceReader {
  /** What a reader does. */
  interface Shape {
    /** One span. MUST answer `undefined` when it is not there. */
    readonly span: (address: SpanAddress) => Effect.Effect<StoredSpan | undefined, StoreUnavailable>

    /** All spans of one trace, by start time, then arrival. */
    readonly trace: (traceId: string) => Effect.Effect<ReadonlyArray<StoredSpan>, StoreUnavailable>

    /**
     * Call spans that fit, newest start first (later arrival first among equals), `limit` at most. MAY be slower for
     * filters without `id` and `key`; MUST NOT leave a fitting span out.
     */
    readonly findCallSpans: (
      filter: CallSpanFilter,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredSpan>, StoreUnavailable>

    /**
     * The spans that link to this one, by arrival, each with the kind of its link. MUST count a twin attribute
     * (`toolspan.link.<type>`) as a link where the link itself was dropped on the way; MUST also know links to spans
     * that never arrived.
     */
    readonly linksTo: (address: SpanAddress) => Effect.Effect<ReadonlyArray<IncomingLink>, StoreUnavailable>

    /** How much is stored. MAY be an estimate for `bytes`. */
    readonly stats: Effect.Effect<StoreStats, StoreUnavailable>
  }
}
