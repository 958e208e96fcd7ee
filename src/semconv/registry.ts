/** The registry: what each name of the contract is, on which spans it stands and which values it takes. */
import * as Attribute from "./attribute.ts"
import * as Event from "./event.ts"
import * as Link from "./link.ts"
import * as Metric from "./metric.ts"
import * as Violation from "./violation.ts"

/** The stage of a span: `null` is not a stage span. */
export type Stage = "decision" | "approval" | "execution" | "result"

/** A span on which an attribute may stand: a stage span, a `chat` span or the turn's span. */
export type Place = Stage | "chat" | "turn"

/** What is known of one attribute. */
export interface AttributeDefinition {
  readonly key: string
  readonly type: "string" | "string[]" | "int" | "double" | "boolean"
  readonly stages: ReadonlyArray<Place>
  readonly source?: "gen_ai" | "semconv"
  readonly label?: boolean
  readonly values?: ReadonlyArray<string>
  readonly max?: number
  readonly content?: boolean
  readonly always?: boolean
  readonly unit?: string
}

/** The spans that toolspan writes. */
export const spans: ReadonlyArray<
  { readonly name: string; readonly stage: Stage | null; readonly kind: "CLIENT" | "INTERNAL" }
> = [
  { name: "chat {gen_ai.request.model}", stage: null, kind: "CLIENT" },
  { name: "tool_call {gen_ai.tool.name}", stage: "decision", kind: "INTERNAL" },
  { name: "tool_approval {gen_ai.tool.name}", stage: "approval", kind: "INTERNAL" },
  { name: "execute_tool {gen_ai.tool.name}", stage: "execution", kind: "INTERNAL" },
  { name: "tool_result {gen_ai.tool.name}", stage: "result", kind: "INTERNAL" }
]

/** The attributes of these spans. */
export const attributes: ReadonlyArray<AttributeDefinition> = [
  {
    key: Attribute.genAiToolName,
    type: "string",
    stages: ["decision", "approval", "execution", "result"],
    source: "gen_ai",
    label: true
  },
  {
    key: Attribute.genAiToolCallId,
    type: "string",
    stages: ["decision", "approval", "execution", "result"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiToolType,
    type: "string",
    stages: ["decision", "approval", "execution", "result"],
    source: "gen_ai",
    label: true,
    values: ["function", "extension"]
  },
  {
    key: Attribute.genAiConversationId,
    type: "string",
    stages: ["decision", "approval", "execution", "result", "chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiAgentName,
    type: "string",
    stages: ["decision", "approval", "execution", "result", "chat"],
    source: "gen_ai",
    label: true
  },
  {
    key: Attribute.genAiOperationName,
    type: "string",
    stages: ["execution", "chat"],
    source: "gen_ai",
    label: true,
    values: ["execute_tool", "chat"]
  },
  {
    key: Attribute.genAiToolDescription,
    type: "string",
    stages: ["execution"],
    source: "gen_ai",
    max: 256
  },
  {
    key: Attribute.errorType,
    type: "string",
    stages: ["execution", "chat"],
    source: "semconv",
    label: true
  },
  {
    key: Attribute.genAiProviderName,
    type: "string",
    stages: ["chat"],
    source: "gen_ai",
    label: true
  },
  {
    key: Attribute.genAiRequestModel,
    type: "string",
    stages: ["chat"],
    source: "gen_ai",
    label: true
  },
  {
    key: Attribute.genAiResponseModel,
    type: "string",
    stages: ["chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiResponseId,
    type: "string",
    stages: ["chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiResponseFinishReasons,
    type: "string[]",
    stages: ["chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiResponseTimeToFirstChunk,
    type: "double",
    stages: ["chat"],
    source: "gen_ai",
    unit: "s"
  },
  {
    key: Attribute.genAiUsageInputTokens,
    type: "int",
    stages: ["chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiUsageOutputTokens,
    type: "int",
    stages: ["chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiUsageCacheReadInputTokens,
    type: "int",
    stages: ["chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiUsageCacheWriteInputTokens,
    type: "int",
    stages: ["chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiUsageReasoningOutputTokens,
    type: "int",
    stages: ["chat"],
    source: "gen_ai"
  },
  {
    key: Attribute.genAiToolCallArguments,
    type: "string",
    stages: ["decision", "execution"],
    source: "gen_ai",
    content: true
  },
  {
    key: Attribute.genAiToolCallResult,
    type: "string",
    stages: ["execution", "result"],
    source: "gen_ai",
    content: true
  },
  {
    key: Attribute.errorMessage,
    type: "string",
    stages: ["execution"],
    source: "semconv",
    content: true
  },
  {
    key: Attribute.toolspanApprovalReason,
    type: "string",
    stages: ["approval"],
    content: true
  },
  {
    key: Attribute.toolspanContentTruncated,
    type: "boolean",
    stages: ["decision", "execution", "result", "approval"]
  },
  {
    key: Attribute.toolspanStage,
    type: "string",
    stages: ["decision", "approval", "execution", "result"],
    label: true,
    values: ["decision", "approval", "execution", "result"]
  },
  {
    key: Attribute.toolspanCallKey,
    type: "string",
    stages: ["decision", "approval", "execution", "result"],
    always: true
  },
  {
    key: Attribute.toolspanCallIdSource,
    type: "string",
    stages: ["decision", "approval", "execution", "result"],
    always: true,
    values: ["provider", "synthesized", "missing"]
  },
  {
    key: Attribute.toolspanCallOccurrence,
    type: "int",
    stages: ["decision", "approval", "execution", "result"]
  },
  {
    key: Attribute.toolspanCallWireItemId,
    type: "string",
    stages: ["decision"]
  },
  {
    key: Attribute.toolspanCallCallerId,
    type: "string",
    stages: ["decision"]
  },
  {
    key: Attribute.toolspanCallParamsDeltas,
    type: "int",
    stages: ["decision"]
  },
  {
    key: Attribute.toolspanCallParamsBytes,
    type: "int",
    stages: ["decision"],
    unit: "By"
  },
  {
    key: Attribute.toolspanCallIncomplete,
    type: "boolean",
    stages: ["decision"]
  },
  {
    key: Attribute.toolspanCallDroppedArguments,
    type: "int",
    stages: ["decision", "execution"]
  },
  {
    key: Attribute.toolspanToolWireName,
    type: "string",
    stages: ["decision", "approval", "execution", "result"]
  },
  {
    key: Attribute.toolspanToolRequestedName,
    type: "string",
    stages: ["decision", "approval", "execution", "result"],
    max: 128
  },
  {
    key: Attribute.toolspanProviderExecuted,
    type: "boolean",
    stages: ["decision", "approval", "execution", "result"],
    label: true
  },
  {
    key: Attribute.toolspanApprovalState,
    type: "string",
    stages: ["decision", "approval", "execution", "result"],
    always: true,
    label: true,
    values: ["not_required", "pending", "approved", "denied", "abandoned"]
  },
  {
    key: Attribute.toolspanApprovalId,
    type: "string",
    stages: ["decision", "approval", "execution", "result"]
  },
  {
    key: Attribute.toolspanApprovalEvent,
    type: "string",
    stages: ["approval"],
    label: true,
    values: ["requested", "resolved", "abandoned"]
  },
  {
    key: Attribute.toolspanApprovalWait,
    type: "double",
    stages: ["approval"],
    unit: "s"
  },
  {
    key: Attribute.toolspanOutcome,
    type: "string",
    stages: ["execution", "result"],
    always: true,
    label: true,
    values: [
      "success",
      "failure",
      "invalid_parameters",
      "invalid_result",
      "unknown_tool",
      "denied",
      "interrupted",
      "not_started"
    ]
  },
  {
    key: Attribute.toolspanFailureMode,
    type: "string",
    stages: ["execution", "result"],
    values: ["error", "return"]
  },
  {
    key: Attribute.toolspanFailureOrigin,
    type: "string",
    stages: ["execution", "result"],
    values: ["parameters", "handler", "result"]
  },
  {
    key: Attribute.toolspanPreliminaryCount,
    type: "int",
    stages: ["execution"]
  },
  {
    key: Attribute.toolspanResultOrigin,
    type: "string",
    stages: ["result"],
    always: true,
    label: true,
    values: ["handler", "provider", "denial", "prompt", "synthesized"]
  },
  {
    key: Attribute.toolspanResultBytes,
    type: "int",
    stages: ["result"],
    unit: "By"
  },
  {
    key: Attribute.toolspanToolCallsDecided,
    type: "int",
    stages: ["chat"]
  },
  {
    key: Attribute.toolspanToolCallsConsumed,
    type: "int",
    stages: ["chat"]
  },
  {
    key: Attribute.toolspanViolationCount,
    type: "int",
    stages: ["chat", "turn"]
  },
  {
    key: Attribute.toolspanViolationKinds,
    type: "string[]",
    stages: ["chat", "turn"]
  },
  {
    key: Attribute.toolspanLinkDecidedBy,
    type: "string",
    stages: ["execution", "approval"]
  },
  {
    key: Attribute.toolspanLinkApprovedBy,
    type: "string",
    stages: ["execution"]
  },
  {
    key: Attribute.toolspanLinkAnswers,
    type: "string",
    stages: ["approval"]
  },
  {
    key: Attribute.toolspanLinkResultOf,
    type: "string",
    stages: ["result"]
  },
  {
    key: Attribute.toolspanLinkConsumes,
    type: "string[]",
    stages: ["chat", "turn"]
  },
  {
    key: Attribute.toolspanLinkAmbiguous,
    type: "boolean",
    stages: ["decision", "approval", "execution", "result", "chat", "turn"]
  }
]

/** The events of these spans; `max` a span. */
export const events: ReadonlyArray<
  {
    readonly name: string
    readonly attributes: Readonly<Record<string, AttributeDefinition["type"]>>
    readonly max: number
  }
> = [
  {
    name: Event.violation,
    attributes: {
      [Attribute.toolspanViolationKind]: "string",
      [Attribute.toolspanViolationScope]: "string",
      [Attribute.genAiToolCallId]: "string",
      [Attribute.genAiToolName]: "string",
      [Attribute.toolspanCallKey]: "string",
      [Attribute.toolspanApprovalId]: "string",
      [Attribute.toolspanViolationOtherName]: "string",
      [Attribute.toolspanViolationTruncated]: "boolean"
    },
    max: 20
  },
  {
    name: Event.preliminary,
    attributes: {
      [Attribute.toolspanPreliminaryIndex]: "int",
      [Attribute.genAiToolCallResult]: "string"
    },
    max: 32
  }
]

/** The links between these spans. */
export const links = { attribute: Attribute.toolspanLinkType, types: Link.types }

/** The pairing faults. */
export const violations = Violation.kinds

/** The metrics made from these spans. */
export const metrics = Metric.metrics
