/**
 * Finds every call without its result, every result without its call and every other broken pair of a history, before a
 * provider says 400: for Effect prompts, for the requests of Anthropic Messages, chat completions and Responses, and for
 * the messages and session files of pi.
 *
 * Pure: no telemetry, no network, no Effect runtime.
 */

export { approvalViolations } from "./Approval.ts"
export type { ApprovalOptions } from "./Approval.ts"
export { fromAnthropic } from "./AnthropicMessages.ts"
export { fromChatCompletions } from "./ChatCompletions.ts"
export { BrokenHistory } from "./BrokenHistory.ts"
export { check, formatOf } from "./Check.ts"
export type { CheckOptions, HistoryFormat } from "./Check.ts"
export { fromPrompt } from "./EffectPrompt.ts"
export { toAnthropic, toChatCompletions, toPrompt, toResponses } from "./GroupMessages.ts"
export type { Written } from "./GroupMessages.ts"
export type {
  ApprovalRequestPart,
  ApprovalResponsePart,
  CallPart,
  Message,
  OtherPart,
  Part,
  ResultPart,
  Role
} from "./History.ts"
export { NoHistory } from "./NoHistory.ts"
export { pair } from "./Pairing.ts"
export type {
  Approval,
  ApprovalAnswer,
  ApprovalState,
  PairedCall,
  PairedResult,
  Pairing,
  PairOptions
} from "./Pairing.ts"
export { fromPi } from "./PiMessages.ts"
export { fromPiSession } from "./PiSession.ts"
export { repair } from "./Repair.ts"
export type { Repaired } from "./Repair.ts"
export { fromResponses } from "./ResponsesInput.ts"
export * as ToolCallGroup from "./ToolCallGroup.ts"
export { ToolCallGroupError } from "./ToolCallGroupError.ts"
export type { ToolFacts } from "./ToolNames.ts"
export type { Violation } from "./Violation.ts"
export type { ViolationKind, ViolationScope } from "../semconv/violation.ts"
export { pairWire } from "./Wire.ts"
export type { WireFormat, WireOptions, WirePairing } from "./Wire.ts"
