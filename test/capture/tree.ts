/** A run's spans as text: a line a span, numbers instead of ids, in an order that does not depend on races. */
import * as Attribute from "../../src/semconv/attribute.ts"
import * as Event from "../../src/semconv/event.ts"
import { kindOf, type SpanRecord } from "../cases/trail.ts"

const order = ["turn", "chat", "tool_call", "tool_approval", "execute_tool", "tool_result", "other"]

const shown: ReadonlyArray<readonly [string, string]> = [
  [Attribute.toolspanCallKey, ""],
  [Attribute.genAiConversationId, "conversation "],
  [Attribute.genAiAgentName, "agent "],
  [Attribute.toolspanCallOccurrence, "occurrence "],
  [Attribute.toolspanToolRequestedName, "asked "],
  [Attribute.toolspanToolWireName, "wire "],
  [Attribute.toolspanApprovalEvent, ""],
  [Attribute.toolspanApprovalState, "approval "],
  [Attribute.toolspanApprovalId, ""],
  [Attribute.toolspanApprovalWait, "wait "],
  [Attribute.toolspanOutcome, ""],
  [Attribute.toolspanFailureMode, "mode "],
  [Attribute.toolspanFailureOrigin, "from "],
  [Attribute.toolspanResultOrigin, "by "],
  [Attribute.errorType, "error "],
  [Attribute.toolspanProviderExecuted, "provider "],
  [Attribute.toolspanCallDroppedArguments, "dropped "],
  [Attribute.toolspanCallIncomplete, "incomplete "],
  [Attribute.toolspanPreliminaryCount, "preliminaries "],
  [Attribute.toolspanLinkAmbiguous, "ambiguous "],
  [Attribute.genAiResponseFinishReasons, "finish "],
  [Attribute.genAiUsageInputTokens, "in "],
  [Attribute.genAiUsageOutputTokens, "out "],
  [Attribute.toolspanToolCallsDecided, "decided "],
  [Attribute.toolspanToolCallsConsumed, "consumed "],
  [Attribute.toolspanViolationKinds, "violations "],
  ["tool", "tool "],
  ["parameters", "parameters "],
  ["app.user", "user "]
]

const facts = (span: SpanRecord): string =>
  [
    ...shown.flatMap(([key, label]) => {
      const value = span.attributes[key]
      if (value === undefined || (key === Attribute.toolspanApprovalState && value === "not_required")) return []
      return [`${label}${String(value)}`]
    }),
    ...(kindOf(span) === "turn" && span.attributes[Attribute.genAiOperationName] !== undefined ? ["chat"] : []),
    ...(span.status.error ? ["ERROR"] : []),
    ...(span.events.some((event) => event.name === Event.preliminary) ? ["preliminary"] : [])
  ].join(", ")

const line = (span: SpanRecord): string => {
  const told = facts(span)
  return told === "" ? span.name : `${span.name} (${told})`
}

const isBefore = (spans: ReadonlyArray<SpanRecord>) => (one: SpanRecord, other: SpanRecord): number => {
  const kinds = order.indexOf(kindOf(one)) - order.indexOf(kindOf(other))
  if (kinds !== 0 && kindOf(one) !== "other" && kindOf(other) !== "other") return kinds
  const [a, b] = [line(one), line(other)]
  return kindOf(one) === "other" || a === b ? spans.indexOf(one) - spans.indexOf(other) : a < b ? -1 : 1
}

/** The trees of a run, in the order in which their roots began. */
export const render = (spans: ReadonlyArray<SpanRecord>): string => {
  const ids = new Set(spans.map((span) => span.spanId))
  const inOrder: Array<readonly [SpanRecord, number]> = []
  const visit = (span: SpanRecord, depth: number): void => {
    inOrder.push([span, depth])
    spans.filter((child) => child.parentSpanId === span.spanId).toSorted(isBefore(spans)).forEach((child) =>
      visit(child, depth + 1)
    )
  }
  for (const span of spans) if (span.parentSpanId === undefined || !ids.has(span.parentSpanId)) visit(span, 0)
  const numbers = new Map(inOrder.map(([span], index) => [span.spanId, index + 1]))
  return inOrder.map(([span, depth], index) => {
    const links = span.links.map((link) =>
      ` ${String(link.attributes[Attribute.toolspanLinkType] ?? "link")}→${numbers.get(link.spanId) ?? "elsewhere"}`
    ).toSorted().join("")
    return `${String(index + 1).padStart(3)} ${"  ".repeat(depth)}${line(span)}${links}`
  }).join("\n")
}
