/** Everything that is known of one tool call, in the order in which it happened. */
import * as Schema from "effect/Schema"
import { Instant } from "./Instant.ts"
import { SpanRef } from "./SpanRef.ts"
import { StoryTrace } from "./StoryTrace.ts"
import { ToolCall } from "./ToolCall.ts"
import { Violation } from "./Violation.ts"

/** True when a captured text of the span was cut at the app's limit. */
const contentCut = Schema.optionalKey(Schema.Boolean)

/** The model asks for the tool; `at` is when the call was complete. */
export const Decision = Schema.Struct({
  at: Instant,
  span: SpanRef,
  /** How long the call took to stream in. */
  durationMillis: Schema.Finite,
  model: Schema.optionalKey(Schema.String),
  provider: Schema.optionalKey(Schema.String),
  /** The provider request that answered with the call. */
  chat: Schema.optionalKey(SpanRef),
  turn: Schema.optionalKey(SpanRef),
  paramsBytes: Schema.optionalKey(Schema.Finite),
  paramsDeltas: Schema.optionalKey(Schema.Finite),
  incomplete: Schema.Boolean,
  /** JSON text, only where the app captures content. */
  arguments: Schema.optionalKey(Schema.String),
  contentCut
})
/** The model asks for the tool. */
export interface Decision extends Schema.Schema.Type<typeof Decision> {}

/** An approval was asked for, answered or abandoned. */
export const Approval = Schema.Struct({
  at: Instant,
  span: SpanRef,
  event: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.String),
  approvalId: Schema.optionalKey(Schema.String),
  /** From the request to this answer. */
  waitMillis: Schema.optionalKey(Schema.Finite),
  /** Only where the app captures content. */
  reason: Schema.optionalKey(Schema.String)
})
/** An approval was asked for, answered or abandoned. */
export interface Approval extends Schema.Schema.Type<typeof Approval> {}

/** One run of the handler. */
export const Execution = Schema.Struct({
  at: Instant,
  span: SpanRef,
  durationMillis: Schema.Finite,
  outcome: Schema.optionalKey(Schema.String),
  errorType: Schema.optionalKey(Schema.String),
  failureOrigin: Schema.optionalKey(Schema.String),
  failureMode: Schema.optionalKey(Schema.String),
  preliminary: Schema.optionalKey(Schema.Finite),
  turn: Schema.optionalKey(SpanRef),
  /** How many spans the app opened inside. */
  inside: Schema.Finite,
  arguments: Schema.optionalKey(Schema.String),
  result: Schema.optionalKey(Schema.String),
  errorMessage: Schema.optionalKey(Schema.String),
  contentCut
})
/** One run of the handler. */
export interface Execution extends Schema.Schema.Type<typeof Execution> {}

/** The part that answers the call. */
export const ResultPart = Schema.Struct({
  at: Instant,
  span: SpanRef,
  outcome: Schema.optionalKey(Schema.String),
  origin: Schema.optionalKey(Schema.String),
  bytes: Schema.optionalKey(Schema.Finite),
  result: Schema.optionalKey(Schema.String),
  contentCut
})
/** The part that answers the call. */
export interface ResultPart extends Schema.Schema.Type<typeof ResultPart> {}

/** A provider request, or a turn, whose prompt carried the result. */
export const Consumer = Schema.Struct({
  at: Instant,
  span: SpanRef,
  model: Schema.optionalKey(Schema.String),
  turn: Schema.optionalKey(SpanRef),
  /** The results of this call that it carried. */
  results: Schema.Array(SpanRef)
})
/** A provider request, or a turn, whose prompt carried the result. */
export interface Consumer extends Schema.Schema.Type<typeof Consumer> {}

/** One tool call, whole. */
export const Story = Schema.Struct({
  call: ToolCall,
  decisions: Schema.Array(Decision),
  approvals: Schema.Array(Approval),
  executions: Schema.Array(Execution),
  results: Schema.Array(ResultPart),
  consumers: Schema.Array(Consumer),
  violations: Schema.Array(Violation),
  traces: Schema.Array(StoryTrace)
})
/** One tool call, whole. */
export interface Story extends Schema.Schema.Type<typeof Story> {}

/** The stories of an id; `more` when there are others that were not told. */
export const Stories = Schema.Struct({ stories: Schema.Array(Story), more: Schema.Boolean })
/** The stories of an id. */
export interface Stories extends Schema.Schema.Type<typeof Stories> {}
