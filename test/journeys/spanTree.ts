/** Spans as text that is the same in each run: numbers instead of ids, children in a stable order, no times. */
import type { Attributes, SentSpan, Value } from "./otlpSink.ts"

const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"]
const statuses = ["", "ok", "ERROR"]

const order = ["conversation", "LanguageModel", "chat", "tool_call", "tool_approval", "execute_tool", "tool_result"]

/** How a span stands among its siblings: turns by time, the rest by stage and name. */
const rank = (span: SentSpan): string => {
  const at = order.indexOf(span.name.split(/[ .]/)[0] ?? "")
  return `${at === -1 ? 9 : at} ${at <= 1 ? String(span.start).padStart(20, "0") : span.name} ${
    String(span.attributes["toolspan.call.key"] ?? "")
  } ${String(span.start).padStart(20, "0")}`
}

/** What depends on the run or the machine. */
const isVolatile = (key: string): boolean => /time_to_first_chunk|^code\./.test(key)

const valueText = (value: Value, numbers: ReadonlyMap<string, number>): string =>
  JSON.stringify(value)?.replaceAll(/[0-9a-f]{32}-([0-9a-f]{16})/g, (_, id: string) => `#${numbers.get(id) ?? "?"}`) ??
    ""

/** The trees of spans, each span with its kind, status, attributes, events and links. */
export const spanTree = (spans: ReadonlyArray<SentSpan>): string => {
  const ids = new Set(spans.map((span) => span.spanId))
  const inOrder: Array<readonly [SentSpan, number]> = []
  const visit = (of: ReadonlyArray<SentSpan>, depth: number): void => {
    for (const span of of.toSorted((one, other) => rank(one) < rank(other) ? -1 : 1)) {
      inOrder.push([span, depth])
      visit(spans.filter((child) => child.parentSpanId === span.spanId), depth + 1)
    }
  }
  visit(spans.filter((span) => !ids.has(span.parentSpanId)), 0)
  const numbers = new Map(inOrder.map(([span], index) => [span.spanId, index + 1]))
  const attributes = (all: Attributes, indent: string): ReadonlyArray<string> =>
    Object.entries(all).filter(([key]) => !isVolatile(key)).toSorted(([one], [other]) => one < other ? -1 : 1)
      .map(([key, value]) => `${indent}${key} = ${valueText(value, numbers)}`)
  return inOrder.flatMap(([span, depth], index) => {
    const indent = "  ".repeat(depth)
    const status = [statuses[span.status.code], span.status.message].filter(Boolean).join(": ")
    return [
      `${indent}#${index + 1} ${span.name} (${[kinds[span.kind], status].filter(Boolean).join(", ")})`,
      ...attributes(span.attributes, `${indent}    `),
      ...span.events.flatMap((
        event
      ) => [`${indent}    event ${event.name}`, ...attributes(event.attributes, `${indent}      `)]),
      ...span.links.map((link) => `${indent}    link ${String(link.type)} → #${numbers.get(link.spanId) ?? "?"}`)
        .toSorted()
    ]
  }).join("\n")
}
