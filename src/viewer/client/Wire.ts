/** What the API answers, as JSON has it: instants are texts. */
import type { Approval, Consumer, Decision, Execution, ResultPart, Story } from "../../query/Story.ts"
import type { SpanRef } from "../../query/SpanRef.ts"
import type { StorySpan } from "../../query/StoryTrace.ts"
import type { ToolCall } from "../../query/ToolCall.ts"
import type { Violation } from "../../query/Violation.ts"

export type CallJson = typeof ToolCall.Encoded
export type StoryJson = typeof Story.Encoded
export type DecisionJson = typeof Decision.Encoded
export type ApprovalJson = typeof Approval.Encoded
export type ExecutionJson = typeof Execution.Encoded
export type ResultJson = typeof ResultPart.Encoded
export type ConsumerJson = typeof Consumer.Encoded
export type ViolationJson = typeof Violation.Encoded
export type SpanRefJson = typeof SpanRef.Encoded
export type StorySpanJson = typeof StorySpan.Encoded
