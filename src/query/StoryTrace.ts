/** The part of a trace that has to do with one tool call, as a tree from the root down. */
import * as Schema from "effect/Schema"
import * as Attribute from "../semconv/attribute.ts"
import type { Stage } from "../semconv/registry.ts"
import type { CallGroup } from "./CallGroup.ts"
import { byTime } from "./CallGroup.ts"
import { present } from "./Fact.ts"
import { Instant, millisBetween } from "./Instant.ts"
import * as SpanIndex from "./SpanIndex.ts"
import * as Reading from "./SpanReading.ts"

/**
 * What a span is in the story: a stage of the call, a span `inside` the execution, a `consumer` of the result, the
 * `chat` or `turn` around a stage, or anything else `around` it.
 */
export const roles = [
  "decision",
  "approval",
  "execution",
  "result",
  "inside",
  "consumer",
  "chat",
  "turn",
  "around"
] as const

/** One span of the tree; `depth` 0 is the first span that is shown of its branch. */
export const StorySpan = Schema.Struct({
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  depth: Schema.Finite,
  role: Schema.Literals(roles),
  name: Schema.String,
  service: Schema.optionalKey(Schema.String),
  start: Instant,
  durationMillis: Schema.Finite,
  failed: Schema.Boolean,
  errorType: Schema.optionalKey(Schema.String)
})
/** One span of the tree. */
export interface StorySpan extends Schema.Schema.Type<typeof StorySpan> {}

/** One trace; `hidden` spans of it have nothing to do with the call, or were more than are shown. */
export const StoryTrace = Schema.Struct({
  traceId: Schema.String,
  spans: Schema.Array(StorySpan),
  hidden: Schema.Finite
})
/** One trace of a story. */
export interface StoryTrace extends Schema.Schema.Type<typeof StoryTrace> {}

/** A handler that opens more spans than this is shown with this many. */
const maxInside = 200

/** The traces that a call touched, the earliest first. */
export const storyTraces = (
  group: CallGroup,
  consumers: ReadonlyArray<Reading.SpanRow>,
  spans: SpanIndex.SpanIndex
): ReadonlyArray<StoryTrace> => {
  const roleOf = rolesIn(group, consumers, spans)
  const traceIds = [...new Set([...group.rows, ...consumers].map((row) => row.traceId))]
  const sizes = new Map<string, number>()
  for (const row of spans.all()) sizes.set(row.traceId, (sizes.get(row.traceId) ?? 0) + 1)
  return traceIds.map((traceId) => {
    const shown = [...roleOf.values()].filter(({ row }) => row.traceId === traceId)
    return { traceId, spans: tree(shown), hidden: (sizes.get(traceId) ?? 0) - shown.length }
  }).toSorted((a, b) => compare(a.spans[0]!.start, b.spans[0]!.start))
}

interface Shown {
  readonly row: Reading.SpanRow
  readonly role: typeof roles[number]
}

const rolesIn = (
  group: CallGroup,
  consumers: ReadonlyArray<Reading.SpanRow>,
  spans: SpanIndex.SpanIndex
): ReadonlyMap<string, Shown> => {
  const shown = new Map<string, Shown>()
  const show = (row: Reading.SpanRow, role: Shown["role"]) => {
    const address = Reading.addressText(row)
    if (!shown.has(address)) shown.set(address, { row, role })
  }
  for (const row of group.rows) show(row, Reading.stageOf(row) as Stage)
  for (const row of consumers) show(row, "consumer")
  for (const row of group.rows) {
    if (Reading.stageOf(row) === "execution") {
      for (const inner of SpanIndex.descendants(spans, row, maxInside)) show(inner, "inside")
    }
  }
  for (const row of [...group.rows, ...consumers]) {
    for (const above of SpanIndex.ancestors(spans, row)) {
      show(above, Reading.isChat(above) ? "chat" : Reading.isTurn(above) ? "turn" : "around")
    }
  }
  return shown
}

const tree = (shown: ReadonlyArray<Shown>): ReadonlyArray<StorySpan> => {
  const here = new Set(shown.map(({ row }) => row.spanId))
  const children = new Map<string, Array<Shown>>()
  for (const entry of shown.toSorted((a, b) => byTime(a.row, b.row))) {
    const parent = here.has(entry.row.parentSpanId) ? entry.row.parentSpanId : ""
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [entry])
    else siblings.push(entry)
  }
  const ordered: Array<StorySpan> = []
  const waiting = (children.get("") ?? []).map((entry) => ({ entry, depth: 0 })).reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { depth, entry } = next
    ordered.push(storySpan(entry, depth))
    for (const child of (children.get(entry.row.spanId) ?? []).toReversed()) {
      waiting.push({ entry: child, depth: depth + 1 })
    }
  }
  // Spans whose parents run in a circle hang from no root; they are shown without one.
  const placed = new Set(ordered.map((span) => span.spanId))
  for (const entry of shown) if (!placed.has(entry.row.spanId)) ordered.push(storySpan(entry, 0))
  return ordered
}

const storySpan = ({ role, row }: Shown, depth: number): StorySpan => ({
  spanId: row.spanId,
  ...(row.parentSpanId === "" ? {} : { parentSpanId: row.parentSpanId }),
  depth,
  role,
  name: row.name,
  ...present("service", Reading.serviceOf(row)),
  start: row.start,
  durationMillis: millisBetween(row.start, row.end),
  failed: row.status.code === 2,
  ...present("errorType", Reading.text(row.attributes, Attribute.errorType))
})

const compare = (a: bigint, b: bigint) => a < b ? -1 : a > b ? 1 : 0
