/** The spans of a run as a text tree, for people. */
import * as Attribute from "../../src/semconv/attribute.ts"
import { nanos, type SpanRecord } from "./trail.ts"

const short = (value: unknown) => {
  const text = JSON.stringify(value) ?? "undefined"
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}

const attributes = (record: Readonly<Record<string, unknown>>) =>
  Object.entries(record).map(([key, value]) => `${key}=${short(value)}`).join(" ")

const lines = (span: SpanRecord, all: ReadonlyArray<SpanRecord>, indent: string): ReadonlyArray<string> => [
  `${indent}${span.name} [${span.spanId}]${span.status.error ? ` ERROR ${span.status.message ?? ""}` : ""}`,
  `${indent}  · ${attributes(span.attributes)}`,
  ...span.events.map((event) => `${indent}  ! ${event.name} ${attributes(event.attributes)}`),
  ...span.links.map((link) => `${indent}  → ${String(link.attributes[Attribute.toolspanLinkType])} [${link.spanId}]`),
  ...all.filter((child) => child.parentSpanId === span.spanId).flatMap((child) => lines(child, all, `${indent}  `))
]

export const spanTree = (spans: ReadonlyArray<SpanRecord>): string => {
  const sorted = [...spans].sort((a, b) => (nanos(a.start) < nanos(b.start) ? -1 : 1))
  const ids = new Set(sorted.map((span) => span.spanId))
  return sorted.filter((span) => span.parentSpanId === undefined || !ids.has(span.parentSpanId))
    .flatMap((span) => lines(span, sorted, "    ")).join("\n")
}
