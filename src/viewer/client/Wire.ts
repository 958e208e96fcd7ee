/** What the API answers, as JSON has it: instants are texts. The types are those of the API's own schemas. */
import type { NothingThere, StoreBusy, TooManyListeners, WrongQuestion } from "../../query/api.ts"
import type { CallPage, CallSearch, ListedCall } from "../../query/CallSearch.ts"
import type { Conversation, Turn } from "../../query/Conversation.ts"
import type {
  KindCount,
  ListedViolation,
  Stats,
  ToolFigures,
  Tools,
  ViolationPage,
  ViolationSearch
} from "../../query/Overview.ts"
import type { SpanRef } from "../../query/SpanRef.ts"
import type { Approval, Consumer, Decision, Execution, ResultPart, Stories, Story } from "../../query/Story.ts"
import type { StorySpan } from "../../query/StoryTrace.ts"
import type { Violation } from "../../query/Violation.ts"
import type { SpanAttribute, SpanLink, WholeSpan, WholeTrace } from "../../query/WholeTrace.ts"

export type CallSearchJson = typeof CallSearch.Encoded
export type CallJson = typeof ListedCall.Encoded
export type CallPageJson = typeof CallPage.Encoded

export type StoriesJson = typeof Stories.Encoded
export type StoryJson = typeof Story.Encoded
export type DecisionJson = typeof Decision.Encoded
export type ApprovalJson = typeof Approval.Encoded
export type ExecutionJson = typeof Execution.Encoded
export type ResultJson = typeof ResultPart.Encoded
export type ConsumerJson = typeof Consumer.Encoded
export type ViolationJson = typeof Violation.Encoded
export type SpanRefJson = typeof SpanRef.Encoded
export type StorySpanJson = typeof StorySpan.Encoded

export type TraceJson = typeof WholeTrace.Encoded
export type SpanJson = typeof WholeSpan.Encoded
export type AttributeJson = typeof SpanAttribute.Encoded
export type LinkJson = typeof SpanLink.Encoded

export type ConversationJson = typeof Conversation.Encoded
export type TurnJson = typeof Turn.Encoded

export type ToolsJson = typeof Tools.Encoded
export type ToolJson = typeof ToolFigures.Encoded
export type StatsJson = typeof Stats.Encoded

export type ViolationSearchJson = typeof ViolationSearch.Encoded
export type ViolationPageJson = typeof ViolationPage.Encoded
export type ListedViolationJson = typeof ListedViolation.Encoded
export type KindJson = typeof KindCount.Encoded

/** What the API says when it does not answer. */
export type RefusalJson = Pick<WrongQuestion | NothingThere | StoreBusy | TooManyListeners, "_tag" | "reason">
