/**
 * The spans that a span links to, also where the links themselves were dropped on the way.
 */
import type { Attributes, SpanRow } from "../otlp/SpanRow.ts"
import { attributeOf, textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"

/** A span that another one links to, and the kind of link (`""` when it has none). */
export interface LinkTarget {
  readonly traceId: string
  readonly spanId: string
  readonly type: string
}

/** The attributes that repeat a link, and the kind of link that each repeats. */
const twins: ReadonlyArray<readonly [key: string, type: string]> = [
  [Attribute.toolspanLinkDecidedBy, "decided_by"],
  [Attribute.toolspanLinkApprovedBy, "approved_by"],
  [Attribute.toolspanLinkAnswers, "answers"],
  [Attribute.toolspanLinkResultOf, "result_of"],
  [Attribute.toolspanLinkConsumes, "consumes"]
]

/** The attributes that repeat links, by themselves. */
export const keys: ReadonlyArray<string> = twins.map(([key]) => key)

const address = /^([0-9a-f]{32})-([0-9a-f]{16})$/

const twinTargets = (attributes: Attributes, key: string, type: string): ReadonlyArray<LinkTarget> => {
  const value = attributeOf(attributes, key)
  if (value === undefined) return []
  // Some writers put a list into one JSON text.
  const json = typeof value === "string" && value.startsWith("[")
  const texts = Array.isArray(value) ? value : json ? value.match(/[0-9a-f]{32}-[0-9a-f]{16}/g) ?? [] : [value]
  return texts.flatMap((text) => {
    const match = typeof text === "string" ? address.exec(text) : null
    return match === null ? [] : [{ traceId: match[1]!, spanId: match[2]!, type }]
  })
}

const isTwin: ReadonlySet<string> = new Set(keys)

/** Each target and kind once: the links first, then what only a twin attribute tells. */
export const ofRow = (row: SpanRow): ReadonlyArray<LinkTarget> => {
  const twinAttributes = row.attributes.filter(({ key }) => isTwin.has(key))
  if (row.links.length === 0 && twinAttributes.length === 0) return []
  const targets = new Map<string, LinkTarget>()
  const add = (target: LinkTarget): void => {
    targets.set(`${target.traceId}-${target.spanId}-${target.type}`, target)
  }
  for (const link of row.links) {
    if (link.traceId.length !== 32 || link.spanId.length !== 16) continue
    add({ traceId: link.traceId, spanId: link.spanId, type: textOf(link.attributes, Attribute.toolspanLinkType) ?? "" })
  }
  for (const [key, type] of twins) {
    for (const target of twinTargets(twinAttributes, key, type)) add(target)
  }
  return [...targets.values()]
}
