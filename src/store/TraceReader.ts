/**
 * The reading half of the store's contract, which a remote engine can implement too.
 *
 * Words: a **stage span** is a span with one of the four values of `toolspan.stage`, or without one and with
 * `gen_ai.operation.name` = `execute_tool`. A **call** is a group of stage spans.
 *
 * Every lookup MUST compare ids and text byte by byte (no case folding, no trimming, no patterns), MUST give each span
 * at most once, and MUST answer an unknown id with an empty list, not an error. A span is visible as soon as the `append`
 * that brought it has succeeded. An engine that cannot do so says it in `capabilities`; what it would have to guess fails with
 * `CannotAnswer`.
 *
 * An app may have sent anything, and retention lets one trace grow to the size of the store. A reader of stored files MUST
 * NOT hold more than 128 MiB of spans for one lookup (`ReadingLimit`): it fails with `CannotAnswer`, which says so, and
 * MUST NOT leave spans out instead. An engine with limits of its own MAY keep to those; a store that is in memory already
 * MAY give what it has.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SpanRow } from "../otlp/SpanRow.ts"
import type { Capabilities, ReadError } from "./Capability.ts"
import type { ToolFigure } from "./ToolFigure.ts"

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

/** The orders of calls: by the time of their first span, by how long their last run or the wait for approval took. */
export type CallSort = "newest" | "oldest" | "slowest" | "longest-wait"

/** Which calls to find; what is not given does not restrict. Texts are compared byte by byte but for `text`. */
export interface CallFilter {
  /** `gen_ai.tool.call.id` or `toolspan.call.key`. */
  readonly id?: string | undefined
  /** How one of the two begins. */
  readonly idPrefix?: string | undefined
  /** `toolspan.call.key`. */
  readonly key?: string | undefined
  /** `gen_ai.tool.name`, or `toolspan.tool.requested_name` for a tool that the model invented. */
  readonly tool?: string | undefined
  /** `toolspan.approval.state`. */
  readonly state?: string | undefined
  /** `toolspan.outcome`. */
  readonly outcome?: string | undefined
  /** `toolspan.violation.kind` of a fault that was reported for the call. */
  readonly violation?: string | undefined
  /** `gen_ai.conversation.id`. */
  readonly conversation?: string | undefined
  /** `service.name` of the resource of the first span. */
  readonly service?: string | undefined
  /** Start of the first span in unix nanoseconds, this one included. */
  readonly from?: bigint | undefined
  /** Start of the first span in unix nanoseconds, this one excluded. */
  readonly until?: bigint | undefined
  /** How long the last run took, in milliseconds, both ends included. */
  readonly minExecution?: number | undefined
  readonly maxExecution?: number | undefined
  /**
   * Text that the id or key begins with, that the tool's name holds, or that captured content holds. Upper and lower case
   * of ASCII letters are the same in tool and content; content is looked through for three characters or more.
   */
  readonly text?: string | undefined
}

/** Where a call stands in an order; the next page begins after it. */
export interface CallPlace {
  /** The value that the order goes by: unix nanoseconds, or milliseconds. */
  readonly value: bigint | number
  readonly number: number
}

/** A call: its stage spans by time (500 at most) and how many faults were reported for it. */
export interface StoredCall {
  readonly number: number
  readonly place: CallPlace
  readonly spans: ReadonlyArray<StoredSpan>
  readonly violations: number
}

/** Order, beginning and size of a page of calls. */
export interface CallPageOptions {
  readonly sort?: CallSort | undefined
  readonly after?: CallPlace | undefined
  readonly limit: number
}

/** Calls that a span has been added to since a place in the arrival of spans, and the place from which to go on. */
export interface ChangedCalls {
  readonly calls: ReadonlyArray<StoredCall>
  readonly last: number
}

/** Which faults to find; what is not given does not restrict. */
export interface ViolationFilter {
  readonly kind?: string | undefined
  /** The id or the key of the call that the fault names. */
  readonly id?: string | undefined
  /** The tool that the fault names, or, where it names none (the model may have invented one), that of the call it names. */
  readonly tool?: string | undefined
  readonly conversation?: string | undefined
  /** Continue after the fault with this `sequence`. */
  readonly after?: number | undefined
}

/** A fault: the event `index` of the span. */
export interface StoredViolation {
  readonly sequence: number
  /** What `ViolationFilter.tool` finds it by, when that is known. */
  readonly tool: string | undefined
  readonly span: StoredSpan
  readonly index: number
}

/** How much is in the store. */
export interface StoreStats {
  readonly spans: number
  /** Stage spans. */
  readonly callSpans: number
  readonly calls: number
  readonly traces: number
  readonly violations: number
  /** What retention has taken out, since the store was made. */
  readonly dropped: { readonly spans: number; readonly calls: number }
  /** Size on disk (or an estimate in memory), in bytes. */
  readonly bytes: number
  /**
   * Start of the oldest and of the newest span, in unix nanoseconds; absent in an empty store. Where retention has taken
   * spans out, the oldest MAY be that of the first that arrived.
   */
  readonly oldest?: bigint
  readonly newest?: bigint
}

/** Reads a store of spans. */
export class TraceReader extends Context.Service<TraceReader, TraceReader.Shape>()("toolspan/store/TraceReader") {}

export declare namespace TraceReader {
  /** What a reader does. */
  interface Shape {
    /** What this engine answers; MUST name every question that it refuses. */
    readonly capabilities: Capabilities

    /** One span. MUST answer `undefined` when it is not there. */
    readonly span: (address: SpanAddress) => Effect.Effect<StoredSpan | undefined, ReadError>

    /** All spans of one trace, by start time, then arrival. */
    readonly trace: (traceId: string) => Effect.Effect<ReadonlyArray<StoredSpan>, ReadError>

    /**
     * A part of one trace, for one that `trace` refuses for its size: spans by their ids, from the one after `after` on, at
     * least one while there are more. MUST NOT hold more than some 16 MiB of spans and one span more. Readers that read
     * a trace only as a whole have none.
     */
    readonly tracePart?: (
      traceId: string,
      after: string | undefined
    ) => Effect.Effect<ReadonlyArray<StoredSpan>, ReadError>

    /**
     * The calls that fit, in this order (the newest first unless told otherwise; among equals the later one first, and
     * the earlier one first for `oldest`). In an order by duration, calls that have none are left out. Stage spans belong to
     * one call when `CallGrouping` says so. MUST NOT leave a fitting call out, nor give one twice over the pages of a store
     * that does not change.
     */
    readonly findCalls: (
      filter: CallFilter,
      page: CallPageOptions
    ) => Effect.Effect<ReadonlyArray<StoredCall>, ReadError>

    /** How many calls fit; counting stops at `atMost`. */
    readonly countCalls: (filter: CallFilter, atMost: number) => Effect.Effect<number, ReadError>

    /**
     * Calls that a stage span was added to after `after`, in the order of arrival; `limit` spans are looked at. Without
     * `after` no calls, and the place of the last span.
     */
    readonly changedCalls: (
      after: number | undefined,
      limit: number
    ) => Effect.Effect<ChangedCalls, ReadError>

    /**
     * Figures of the 1,000 most called tools, those first (among equals by name), over the `limit` newest calls and those
     * that began with the last of them. Durations are of the newest calls of each tool: 1,000, fewer where there are more
     * than 10 tools (`ToolFigure`).
     */
    readonly figures: (limit: number) => Effect.Effect<ReadonlyArray<ToolFigure>, ReadError>

    /** Faults that fit, the last stored first. */
    readonly findViolations: (
      filter: ViolationFilter,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredViolation>, ReadError>

    /** How many faults fit. */
    readonly countViolations: (filter: ViolationFilter) => Effect.Effect<number, ReadError>

    /** How many faults of each kind there are. */
    readonly violationKinds: Effect.Effect<
      ReadonlyArray<{ readonly kind: string; readonly count: number }>,
      ReadError
    >

    /** The traces that have a span of this conversation, by arrival of the first. */
    readonly conversationTraces: (
      conversation: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, ReadError>

    /**
     * The spans that link to this one, by arrival, each with the kind of its link. MUST count a twin attribute
     * (`toolspan.link.<type>`) as a link where the link itself was dropped on the way; MUST also know links to spans
     * that never arrived.
     */
    readonly linksTo: (address: SpanAddress) => Effect.Effect<ReadonlyArray<IncomingLink>, ReadError>

    /** How much is stored. MAY be an estimate for `bytes`. */
    readonly stats: Effect.Effect<StoreStats, ReadError>
  }
}
