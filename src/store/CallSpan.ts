/**
 * What is searched of a call span.
 */
import type { Attributes, SpanRow } from "../otlp/SpanRow.ts"
import { attributeOf, textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as SpanName from "../semconv/span.ts"

/** The searched values of a call span; `undefined` where the span does not say. */
export interface CallSpan {
  readonly id: string | undefined
  readonly key: string | undefined
  readonly tool: string | undefined
  readonly stage: string | undefined
  readonly state: string | undefined
  readonly outcome: string | undefined
  readonly conversation: string | undefined
  readonly service: string | undefined
}

/** OpenTelemetry's own name of what runs; a resource attribute, which toolspan reads and does not write. */
const serviceName = "service.name"

/** An id that another library wrote as a number is searched by its digits. */
const idOf = (attributes: Attributes): string | undefined => {
  const value = attributeOf(attributes, Attribute.genAiToolCallId)
  return typeof value === "bigint" ? String(value) : typeof value === "string" ? value : undefined
}

/** The searched values; `undefined` when the span tells nothing of a tool call. */
export const ofRow = (row: SpanRow): CallSpan | undefined => {
  const { attributes } = row
  const id = idOf(attributes)
  const key = textOf(attributes, Attribute.toolspanCallKey)
  const stage = textOf(attributes, Attribute.toolspanStage)
  if (id === undefined && key === undefined && stage === undefined) {
    if (textOf(attributes, Attribute.genAiOperationName) !== SpanName.executeTool) return undefined
  }
  return {
    id,
    key,
    tool: textOf(attributes, Attribute.genAiToolName) ?? textOf(attributes, Attribute.toolspanToolRequestedName),
    stage,
    state: textOf(attributes, Attribute.toolspanApprovalState),
    outcome: textOf(attributes, Attribute.toolspanOutcome),
    conversation: textOf(attributes, Attribute.genAiConversationId),
    service: textOf(row.resource.attributes, serviceName)
  }
}
