/** The `spans` entries of a block: each on its own, against the spans of a run or of a turn. */
import * as Attribute from "../../../src/semconv/attribute.ts"
import type { ExpectedSpan, ExpectedValue } from "../case-file.ts"
import { spanName, type SpanRecord } from "../trail.ts"
import { checkTarget } from "./target.ts"
import { holds, show } from "./value.ts"

const differing = (
  span: SpanRecord,
  expected: Readonly<Record<string, ExpectedValue>> | undefined
): ReadonlyArray<string> =>
  Object.entries(expected ?? {}).filter(([key, value]) => !holds(span.attributes[key], value)).map(([key, value]) =>
    `${key}: expected ${show(value)}, came ${show(span.attributes[key])}`
  )

const linksOf = (span: SpanRecord, type: string) =>
  span.links.filter((link) => link.attributes[Attribute.toolspanLinkType] === type)

const checkSpan = (span: SpanRecord, expected: ExpectedSpan, all: ReadonlyArray<SpanRecord>): ReadonlyArray<string> => {
  const failures = [...differing(span, expected.attributes)]
  if (expected.status !== undefined && span.status.error !== (expected.status === "ERROR")) {
    failures.push(`status: expected ${expected.status}, came ${span.status.error ? "ERROR" : "UNSET or OK"}`)
  }
  if (expected.parent !== undefined) {
    const parent = all.find((other) => other.spanId === span.parentSpanId)?.name
    if (parent === undefined || !spanName(parent, expected.parent)) {
      failures.push(`parent: expected ${expected.parent}, came ${parent ?? "none"}`)
    }
  }
  for (const type of expected.links ?? []) {
    const links = linksOf(span, type)
    if (links.length === 0) failures.push(`link ${type}: expected, came none`)
    for (const link of links) failures.push(...checkTarget(span, type, link, all))
  }
  for (const type of expected.no_links ?? []) {
    if (linksOf(span, type).length > 0) failures.push(`link ${type}: expected none, came ${linksOf(span, type).length}`)
    const twin = span.attributes[`toolspan.link.${type}`]
    if (twin !== undefined) failures.push(`toolspan.link.${type}: expected absent, came ${show(twin)}`)
  }
  for (const name of expected.events ?? []) {
    if (!span.events.some((event) => event.name === name)) failures.push(`event ${name}: expected, came none`)
  }
  return failures
}

/** `spans`: those that the entries may select; `all`: those that links and parents may lead to. */
export const checkSpans = (
  expected: ReadonlyArray<ExpectedSpan>,
  spans: ReadonlyArray<SpanRecord>,
  all: ReadonlyArray<SpanRecord>
): ReadonlyArray<string> =>
  expected.flatMap((entry) => {
    const selected = spans.filter((span) =>
      spanName(span.name, entry.name) && differing(span, entry.where).length === 0
    )
    const label = `span ${entry.name}${entry.where === undefined ? "" : ` where ${show(entry.where)}`}`
    const count = selected.length === entry.count
      ? []
      : [`${label}: expected ${entry.count}, came ${selected.length} (spans: ${names(spans)})`]
    return [
      ...count,
      ...new Set(selected.flatMap((span) => checkSpan(span, entry, all).map((failure) => `${label}: ${failure}`)))
    ]
  })

const names = (spans: ReadonlyArray<SpanRecord>): string => spans.map((span) => span.name).join(", ")
