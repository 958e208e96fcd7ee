/** Tells a conversation in order. */
import * as Effect from "effect/Effect"
import type { TraceReader } from "../store/TraceReader.ts"
import type { CallListing } from "./CallListing.ts"
import { byTime } from "./CallGroup.ts"
import { present } from "./Fact.ts"
import * as HeldSpans from "./HeldSpans.ts"
import { millisBetween } from "./Instant.ts"
import * as SpanIndex from "./SpanIndex.ts"
import * as Reading from "./SpanReading.ts"

/** What is told of one conversation. */
const tracesAtMost = 500
const callsAtMost = 1_000

/** The turn around a span, else the provider request, else nothing. */
const turnOf = (spans: SpanIndex.SpanIndex, row: Reading.SpanRow): Reading.SpanRow | undefined =>
  SpanIndex.turnOf(spans, row) ?? SpanIndex.chatOf(spans, row)

/** The turns of a conversation; `undefined` when nothing of it is stored. */
export const conversation = Effect.fn(function*(reader: TraceReader.Shape, listing: CallListing, id: string) {
  const traceIds = yield* reader.conversationTraces(id, tracesAtMost + 1)
  if (traceIds.length === 0) return undefined
  const held = HeldSpans.make(reader)
  const rows: Array<Reading.SpanRow> = []
  for (const traceId of traceIds.slice(0, tracesAtMost)) {
    for (const row of yield* held.keep((yield* reader.trace(traceId)).map(({ row }) => row))) rows.push(row)
  }
  const spans = SpanIndex.make(rows)
  const stored = yield* reader.findCalls({ conversation: id }, { sort: "oldest", limit: callsAtMost + 1 })
  const calls = stored.slice(0, callsAtMost)
  const listed = yield* listing.list(calls)
  // A trace can hold several conversations: a turn is of this one when one of its own spans says so.
  const turns = new Set(
    rows.filter((row) => Reading.conversationOf(row) === id).flatMap((row) => turnOf(spans, row) ?? [])
  )
  const keyOfResult = new Map<string, string>()
  const decided = new Map<Reading.SpanRow, Array<typeof listed[number]>>()
  calls.forEach((call, index) => {
    const members = call.spans.map(({ row }) => row)
    const summary = listed[index]
    if (summary === undefined) return
    for (const row of members) {
      if (Reading.stageOf(row) === "result") keyOfResult.set(Reading.addressText(row), summary.key)
    }
    const first = members.find((row) => Reading.stageOf(row) === "decision") ?? members[0]
    const turn = first && turnOf(spans, first)
    if (turn === undefined) return
    turns.add(turn)
    decided.set(turn, [...decided.get(turn) ?? [], summary])
  })
  return {
    id,
    turns: [...turns].toSorted(byTime).map((turn) => {
      const carriers = [turn, ...SpanIndex.descendants(spans, turn, 1_000).filter(Reading.isChat)]
      const consumed = carriers.flatMap(Reading.linksOf).filter(({ type }) => type === "consumes")
      const model = carriers.flatMap((row) => SpanIndex.modelOf(spans, row) ?? [])[0]
      return {
        at: turn.start,
        span: { traceId: turn.traceId, spanId: turn.spanId, name: turn.name },
        durationMillis: millisBetween(turn.start, turn.end),
        ...present("model", model),
        failed: turn.status.code === 2,
        calls: decided.get(turn) ?? [],
        consumed: [...new Set(consumed.flatMap((link) => keyOfResult.get(Reading.addressText(link)) ?? []))]
      }
    }),
    more: traceIds.length > tracesAtMost || stored.length > callsAtMost
  }
})
