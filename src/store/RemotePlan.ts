/**
 * Where to look for the calls that fit a filter: every call that fits has a span that fits one of a plan's alternatives.
 */
import * as Attribute from "../semconv/attribute.ts"
import * as SpanName from "../semconv/span.ts"
import type { Alternative } from "./RemoteEngine.ts"
import type { CallFilter } from "./TraceReader.ts"

/** A way to look; `universal` when every stage span fits it, so that its time can be bounded from above too. */
export interface Plan {
  readonly anyOf: ReadonlyArray<Alternative>
  readonly universal: boolean
}

const span = (key: string, value: string): Alternative => [{ on: "span", key, value }]

const stages = [
  ...["decision", "approval", "execution", "result"].map((stage) => span(Attribute.toolspanStage, stage)),
  span(Attribute.genAiOperationName, SpanName.executeTool)
]

/** Every stage span. */
export const everyCall: Plan = { anyOf: stages, universal: true }

const plan = (anyOf: ReadonlyArray<Alternative>): Plan => ({ anyOf, universal: false })

/** The plans for a filter, what is rarer first; the last one looks at every call. */
export const ofFilter = (filter: CallFilter): ReadonlyArray<Plan> => {
  const plans: Array<Plan> = []
  const named = filter.key ?? filter.id
  if (named !== undefined) {
    const ids = [span(Attribute.toolspanCallKey, named), span(Attribute.genAiToolCallId, named)]
    plans.push(plan(ids))
    const { conversation } = filter
    // A name that is used everywhere, such as call_0, in one conversation.
    if (conversation !== undefined) {
      plans.push(plan(ids.map((id) => [...id, ...span(Attribute.genAiConversationId, conversation)])))
    }
  }
  if (filter.conversation !== undefined) plans.push(plan([span(Attribute.genAiConversationId, filter.conversation)]))
  if (filter.state !== undefined) plans.push(plan([span(Attribute.toolspanApprovalState, filter.state)]))
  if (filter.outcome !== undefined) plans.push(plan([span(Attribute.toolspanOutcome, filter.outcome)]))
  if (filter.tool !== undefined && filter.tool !== SpanName.unknownTool) {
    plans.push(plan([
      span(Attribute.genAiToolName, filter.tool),
      span(Attribute.toolspanToolRequestedName, filter.tool)
    ]))
  }
  const { service } = filter
  if (service !== undefined) {
    plans.push(plan(stages.map((stage) => [...stage, { on: "service", value: service }])))
  }
  return [...plans, everyCall]
}

/** Spans with a key of a conversation, and spans that report a fault of it there. */
export const ofConversationKey = (conversation: string, key: string): ReadonlyArray<Alternative> => {
  const there = span(Attribute.genAiConversationId, conversation)
  return [
    [...there, ...span(Attribute.toolspanCallKey, key)],
    [...there, ...span(Attribute.genAiToolCallId, key)],
    [...there, { on: "event", key: Attribute.toolspanCallKey, value: key }]
  ]
}
