/** What the one writer of spans offers to whoever sees tool calls happen. All times are nanoseconds since the epoch. */
import type { MetricRegistry } from "effect/Metric"
import type * as Tracer from "effect/Tracer"
import type { LinkType } from "../semconv/link.ts"
import type { ViolationKind, ViolationScope } from "../semconv/violation.ts"
import type { ContentSettings } from "../settings/settings.ts"
import type { ApprovalState, Outcome, ResultOrigin } from "./ToolCall.ts"
import type { TrackedCall } from "./TrackedCall.ts"

/** Where a span is written: under which parent, by which tracer, and what it says of its surroundings. */
export interface Place {
  readonly tracer: Tracer.Tracer
  readonly parent: Tracer.AnySpan | undefined
  readonly sampled: boolean
  /** The turn is not sampled: none of its spans is opened, whatever a sampler would say of each. */
  readonly silent: boolean
  /** What the app wants on each of its spans (`Effect.annotateSpans`). */
  readonly annotations: Readonly<Record<string, unknown>>
  readonly conversation: string | undefined
  readonly agent: string | undefined
  readonly content: ContentSettings
  /** Where measurements go, when the app wants metrics of this process. */
  readonly metrics: MetricRegistry | undefined
}

/** A link to an earlier span of the call. */
export interface Link {
  readonly type: LinkType
  readonly to: Tracer.AnySpan
}

/** What a decision's span tells when it is ended. */
export interface DecisionFacts {
  readonly approval: ApprovalState
  readonly approvalId: string | undefined
  readonly deltas: number | undefined
  readonly bytes: number | undefined
  readonly incomplete: boolean
  readonly droppedArguments: number
  readonly wireItemId: string | undefined
  readonly callerId: string | undefined
  /** The tool is unknown or the arguments do not parse. */
  readonly errorType: string | undefined
  readonly arguments: unknown
  /** The text of arguments that do not parse: written as it stands. */
  readonly argumentsText: string | undefined
}

/** What an approval instant tells. */
export interface ApprovalFacts {
  readonly event: "requested" | "resolved" | "abandoned"
  readonly state: ApprovalState
  readonly approvalId: string
  readonly waitSeconds: number | undefined
  readonly link: Link | undefined
  readonly ambiguous: boolean
  readonly reason: string | undefined
}

/** What an execution's span tells when it begins. */
export interface ExecutionStart {
  readonly approval: ApprovalState
  readonly approvalId: string | undefined
  readonly description: string | undefined
  readonly droppedArguments: number
  readonly links: ReadonlyArray<Link>
  readonly ambiguous: boolean
  readonly arguments: unknown
}

/** Where a failure came from, in a tool whose failures are errors or results. */
export interface Failure {
  readonly mode: "error" | "return"
  readonly origin: "parameters" | "handler" | "result"
}

/** What an execution's span tells when it ends. */
export interface ExecutionEnd {
  /** As it was when the execution began. */
  readonly approval: ApprovalState
  readonly outcome: Outcome
  readonly errorType: string | undefined
  readonly failure: Failure | undefined
  readonly preliminaries: number
  /** The encoded result, or the failure; `undefined` when there is none. */
  readonly result: unknown
  readonly failureValue: unknown
}

/** What a result instant tells. */
export interface ResultFacts {
  readonly outcome: Outcome
  readonly origin: ResultOrigin
  readonly approval: ApprovalState
  readonly approvalId: string | undefined
  readonly failure: Failure | undefined
  readonly link: Link | undefined
  readonly ambiguous: boolean
  readonly result: unknown
}

/** What a provider request's span tells when it ends; what is `undefined` is not written. */
export interface ChatFacts {
  readonly provider: string | undefined
  readonly requestModel: string | undefined
  readonly responseModel: string | undefined
  readonly responseId: string | undefined
  readonly finishReasons: ReadonlyArray<string> | undefined
  readonly timeToFirstChunkSeconds: number | undefined
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly cacheReadTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
  readonly reasoningTokens: number | undefined
  readonly decided: number
  /** Results that the request carries for the first time. */
  readonly consumed: number
  readonly errorType: string | undefined
  readonly interrupted: boolean
}

/** A pairing fault as it is reported. */
export interface ViolationFacts {
  readonly kind: ViolationKind
  readonly scope: ViolationScope
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly key?: string | undefined
  readonly approvalId?: string | undefined
  readonly otherName?: string | undefined
  readonly truncated?: boolean | undefined
}

/** The one writer of spans. Nothing else of toolspan starts, ends or annotates one. */
export interface SpanWriter {
  readonly openDecision: (place: Place, call: TrackedCall, startTime: bigint) => Tracer.Span
  readonly endDecision: (place: Place, span: Tracer.Span, call: TrackedCall, facts: DecisionFacts, time: bigint) => void
  readonly approval: (place: Place, call: TrackedCall, facts: ApprovalFacts, time: bigint) => Tracer.Span
  readonly openExecution: (place: Place, call: TrackedCall, facts: ExecutionStart, time: bigint) => Tracer.Span
  readonly preliminary: (
    place: Place,
    span: Tracer.Span,
    call: TrackedCall,
    index: number,
    value: unknown,
    time: bigint
  ) => void
  readonly endExecution: (place: Place, span: Tracer.Span, call: TrackedCall, facts: ExecutionEnd, time: bigint) => void
  readonly result: (place: Place, call: TrackedCall, facts: ResultFacts, time: bigint) => Tracer.Span
  readonly openChat: (place: Place, model: string | undefined, startTime: bigint) => Tracer.Span
  readonly endChat: (place: Place, span: Tracer.Span, facts: ChatFacts, time: bigint) => void
  /** Links a request (or the turn) to the results that it carries for the first time; 128 at most. */
  readonly consume: (span: Tracer.Span, results: ReadonlyArray<Tracer.AnySpan>, ambiguous: boolean) => void
  /** Reports faults on a request or a turn; 20 events at most, the count is of all. */
  readonly violations: (
    place: Place,
    span: Tracer.Span,
    violations: ReadonlyArray<ViolationFacts>,
    time: bigint
  ) => void
}
