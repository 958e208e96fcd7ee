/** Where a link of a type has to lead. */
import * as Attribute from "../../../src/semconv/attribute.ts"
import { kindOf, type LinkRecord, type SpanRecord } from "../trail.ts"
import { show } from "./value.ts"

type Target = { readonly what: string; readonly is: (target: SpanRecord) => boolean }

const key = (span: SpanRecord) => span.attributes[Attribute.toolspanCallKey]

const approval = (event: string, state?: string): Target => ({
  what: `a tool_approval that is ${event}${state === undefined ? "" : ` and ${state}`}`,
  is: (target) =>
    kindOf(target) === "tool_approval" && target.attributes[Attribute.toolspanApprovalEvent] === event &&
    (state === undefined || target.attributes[Attribute.toolspanApprovalState] === state)
})

const kind = (name: string): Target => ({ what: `a ${name}`, is: (target) => kindOf(target) === name })

const targetOf = (span: SpanRecord, type: string, all: ReadonlyArray<SpanRecord>): Target => {
  switch (type) {
    case "decided_by":
      return kind("tool_call")
    case "approved_by":
      return approval("resolved", "approved")
    case "answers":
      return approval("requested")
    case "consumes":
      return kind("tool_result")
  }
  if (span.attributes[Attribute.toolspanOutcome] === "denied") return approval("resolved", "denied")
  const conversation = span.attributes[Attribute.genAiConversationId]
  const executed = all.some((other) =>
    kindOf(other) === "execute_tool" && key(other) === key(span) &&
    other.attributes[Attribute.genAiConversationId] === conversation
  )
  return kind(executed ? "execute_tool" : "tool_call")
}

/** What is wrong with the target of a link. */
export const checkTarget = (
  span: SpanRecord,
  type: string,
  link: LinkRecord,
  all: ReadonlyArray<SpanRecord>
): ReadonlyArray<string> => {
  const target = all.find((other) => other.traceId === link.traceId && other.spanId === link.spanId)
  if (target === undefined) return [`link ${type}: its target is no exported span`]
  const wanted = targetOf(span, type, all)
  const failures = wanted.is(target) ? [] : [`link ${type}: expected ${wanted.what}, came ${target.name}`]
  if (type !== "consumes" && key(target) !== key(span)) {
    failures.push(`link ${type}: expected a target with key ${show(key(span))}, came ${show(key(target))}`)
  }
  return failures
}
