/**
 * The pairing faults that a span reports, as far as they are searched.
 */
import type { SpanRow } from "../otlp/SpanRow.ts"
import { textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as Event from "../semconv/event.ts"

/** One reported fault and the call that it names. */
export interface ViolationEvent {
  /** Its place among the events of its span. */
  readonly index: number
  readonly kind: string
  readonly tool: string | undefined
  readonly id: string | undefined
  /** `toolspan.call.key`, else the id. */
  readonly key: string | undefined
  readonly conversation: string | undefined
}

/** The faults that a span reports, in its order. */
export const ofRow = (row: SpanRow): ReadonlyArray<ViolationEvent> =>
  row.events.length === 0 ? [] : row.events.flatMap(({ attributes, name }, index) => {
    if (name !== Event.violation) return []
    const id = textOf(attributes, Attribute.genAiToolCallId)
    return [{
      index,
      kind: textOf(attributes, Attribute.toolspanViolationKind) ?? "unknown",
      tool: textOf(attributes, Attribute.genAiToolName),
      id,
      key: textOf(attributes, Attribute.toolspanCallKey) ?? id,
      conversation: textOf(row.attributes, Attribute.genAiConversationId)
    }]
  })
