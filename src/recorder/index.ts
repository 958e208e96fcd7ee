/**
 * Tells the tool calls of any agent loop: the same spans, links, approvals and checks as in Effect programs, through a
 * small synchronous API that needs no framework.
 */

export type { Carrier } from "../lifecycle/carrier.ts"
export type { Execution } from "./Execution.ts"
export type { CallReference, RecordedCall } from "./Found.ts"
export type {
  AnswerInput,
  AskedInput,
  DecidedInput,
  EndedInput,
  RecordedTool,
  RequestInput,
  ResponseInput,
  ResultInput,
  ResumedInput,
  StartedInput,
  TurnEndInput,
  TurnInput
} from "./Input.ts"
export type { OtelApi, OtelSpan, OtelSpanContext, OtelTracer } from "./openTelemetry.ts"
export { make } from "./Recorder.ts"
export type { Recorder, RecorderCounts, RecorderOptions, RecorderSettings, Turn } from "./RecorderShape.ts"
export { isRefusal } from "./Refusal.ts"
export type { Reason, Refusal } from "./Refusal.ts"
