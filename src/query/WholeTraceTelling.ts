/** Reads one trace, whole, in tree order. */
import * as Effect from "effect/Effect"
import type { TraceReader } from "../store/TraceReader.ts"
import { attributes } from "./AttributeJson.ts"
import { byTime } from "./CallGroup.ts"
import { present } from "./Fact.ts"
import * as HeldSpans from "./HeldSpans.ts"
import { millisBetween } from "./Instant.ts"
import * as Reading from "./SpanReading.ts"
import type { SpanLink, WholeSpan } from "./WholeTrace.ts"

/** Spans that are shown of one trace. */
const spansAtMost = 5_000

/** Spans of which links from other traces are looked for. */
const linkedAtMost = 1_000

interface Placed {
  readonly row: Reading.SpanRow
  readonly depth: number
}

/** The spans from the roots down; those whose parents run in a circle hang from none and come last. */
const inTreeOrder = (rows: ReadonlyArray<Reading.SpanRow>): ReadonlyArray<Placed> => {
  const here = new Set(rows.map(({ spanId }) => spanId))
  const children = Map.groupBy(
    rows.toSorted(byTime),
    ({ parentSpanId }) => here.has(parentSpanId) ? parentSpanId : ""
  )
  const placed = new Map<string, Placed>()
  const waiting = (children.get("") ?? []).map((row): Placed => ({ row, depth: 0 })).reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    placed.set(next.row.spanId, next)
    for (const row of (children.get(next.row.spanId) ?? []).toReversed()) waiting.push({ row, depth: next.depth + 1 })
  }
  for (const row of rows) if (!placed.has(row.spanId)) placed.set(row.spanId, { row, depth: 0 })
  return [...placed.values()]
}

const roleOf = (row: Reading.SpanRow): WholeSpan["role"] =>
  Reading.stageOf(row) ?? (Reading.isChat(row) ? "chat" : Reading.isTurn(row) ? "turn" : undefined)

/** All links of a span: those of toolspan's kinds also from their twins, others as they were sent. */
const linksOf = (row: Reading.SpanRow): ReadonlyArray<Omit<SpanLink, "name">> => {
  const ours = Reading.linksOf(row)
  const known = new Set(ours.map(Reading.addressText))
  return [
    ...ours,
    ...row.links.filter((link) => !known.has(Reading.addressText(link))).map(({ spanId, traceId }) => ({
      type: "",
      traceId,
      spanId
    }))
  ]
}

/** One trace; `undefined` when nothing of it is stored. */
export const wholeTrace = Effect.fn(function*(reader: TraceReader.Shape, traceId: string) {
  const rows = (yield* reader.trace(traceId)).map(({ row }) => row)
  if (rows.length === 0) return undefined
  const here = new Map(rows.map((row) => [row.spanId, row]))
  const names = new Map<string, string | undefined>()
  const named = Effect.fnUntraced(function*(link: Omit<SpanLink, "name">) {
    const address = Reading.addressText(link)
    if (link.traceId === traceId) return { ...link, ...present("name", here.get(link.spanId)?.name) }
    if (!names.has(address)) names.set(address, (yield* reader.span(link))?.row.name)
    return { ...link, ...present("name", names.get(address)) }
  })
  const shown = inTreeOrder(rows).slice(0, spansAtMost)
  const spans: Array<WholeSpan> = []
  const held = HeldSpans.make(reader)
  for (const { depth, row } of shown) {
    const incoming = spans.length < linkedAtMost ? yield* reader.linksTo(row) : []
    yield* held.count(incoming.length)
    spans.push({
      traceId,
      spanId: row.spanId,
      ...(row.parentSpanId === "" ? {} : { parentSpanId: row.parentSpanId }),
      name: row.name,
      ...present("service", Reading.serviceOf(row)),
      start: row.start,
      durationMillis: millisBetween(row.start, row.end),
      failed: row.status.code === 2,
      depth,
      ...present("role", roleOf(row)),
      ...(row.status.message === "" ? {} : { statusMessage: row.status.message }),
      ...(row.scope.name === "" ? {} : { scope: row.scope.name }),
      attributes: attributes(row.attributes),
      events: row.events.map((event) => ({
        at: event.time,
        name: event.name,
        attributes: attributes(event.attributes)
      })),
      links: yield* Effect.forEach(linksOf(row), named),
      linkedFrom: incoming.map(({ from, type }) => ({
        type,
        traceId: from.row.traceId,
        spanId: from.row.spanId,
        name: from.row.name
      }))
    })
  }
  return { traceId, spans, hidden: rows.length - shown.length }
})
