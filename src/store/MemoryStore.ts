/**
 * A store that lives as long as its scope: for tests, and for looking at one run. It keeps everything; nothing bounds it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SpanRow, textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as Capability from "./Capability.ts"
import * as LinkTarget from "./LinkTarget.ts"
import * as MemoryCalls from "./MemoryCalls.ts"
import * as StageSpan from "./StageSpan.ts"
import type { IncomingLink, SpanAddress, StoredSpan, StoreStats, ViolationFilter } from "./TraceReader.ts"
import { TraceReader } from "./TraceReader.ts"
import { TraceStore } from "./TraceStore.ts"

const compare = (one: bigint | number, other: bigint | number): number => one < other ? -1 : one > other ? 1 : 0

const byStart = (one: StoredSpan, other: StoredSpan): number =>
  compare(one.row.start, other.row.start) || compare(one.sequence, other.sequence)

const addressOf = (address: SpanAddress): string => `${address.traceId}-${address.spanId}`

/** A new, empty store. */
export const make = (): TraceStore.Shape => {
  const spans = new Map<string, StoredSpan>()
  const traces = new Map<string, Array<StoredSpan>>()
  const links = new Map<string, Array<IncomingLink>>()

  const push = <A>(map: Map<string, Array<A>>, key: string, value: A): void => {
    const list = map.get(key)
    if (list === undefined) map.set(key, [value])
    else list.push(value)
  }

  const dropped = { spans: 0, calls: 0 }
  let last = 0

  const add = (row: SpanRow, sequence: number): boolean => {
    const address = addressOf(row)
    if (spans.has(address)) return false
    const span: StoredSpan = { sequence, row }
    last = sequence
    spans.set(address, span)
    push(traces, row.traceId, span)
    for (const target of LinkTarget.ofRow(row)) push(links, addressOf(target), { from: span, type: target.type })
    return true
  }

  const violations = () => MemoryCalls.violationsOf(spans.values())
  const calls = () => MemoryCalls.callsOf(spans.values(), violations())

  const faults = (filter: ViolationFilter) =>
    MemoryCalls.withTools(violations(), calls()).filter((violation) => MemoryCalls.fitsViolation(violation, filter))

  /** The calls of the stage spans that arrived after one. */
  const changedCalls = (after: number | undefined, limit: number) => {
    const stages = [...spans.values()].filter(({ row }) => StageSpan.stageOf(row) !== undefined)
    const last = stages.at(-1)?.sequence ?? 0
    if (after === undefined) return { calls: [], last }
    const fresh = stages.filter(({ sequence }) => sequence > after).slice(0, limit)
    const there = MemoryCalls.page(calls(), { limit: Infinity })
    const changed = fresh.flatMap((span) => there.find((call) => call.spans.includes(span)) ?? [])
    return { calls: [...new Set(changed)], last: fresh.at(-1)?.sequence ?? after }
  }

  const conversationTraces = (conversation: string, limit: number): ReadonlyArray<string> =>
    [
      ...new Set(
        [...spans.values()].flatMap(({ row }) =>
          textOf(row.attributes, Attribute.genAiConversationId) === conversation ? [row.traceId] : []
        )
      )
    ].slice(0, limit)

  /** Bytes do not limit a store in memory. */
  const drop = (before: bigint | undefined, atMost: number): number => {
    const stored = [...spans.values()]
    const old = new Set(
      stored.slice(0, atMost).filter(({ row }) => before !== undefined && row.start < before)
    )
    if (old.size === 0) return 0
    const callsBefore = calls().length
    const kept = stored.filter((span) => !old.has(span))
    for (const map of [spans, traces, links]) map.clear()
    for (const { row, sequence } of kept) add(row, sequence)
    dropped.spans += old.size
    dropped.calls += callsBefore - calls().length
    return old.size
  }

  const stats = (): StoreStats => {
    const sorted = [...spans.values()].sort(byStart)
    const oldest = sorted[0]?.row.start
    const newest = sorted.at(-1)?.row.start
    return {
      spans: spans.size,
      callSpans: sorted.filter(({ row }) => StageSpan.stageOf(row) !== undefined).length,
      calls: calls().length,
      traces: traces.size,
      violations: violations().length,
      dropped: { ...dropped },
      bytes: 0,
      ...(oldest === undefined ? {} : { oldest }),
      ...(newest === undefined ? {} : { newest })
    }
  }

  return {
    capabilities: Capability.everything("The store in memory"),
    append: (rows) =>
      Effect.sync(() => {
        const stored = rows.filter((row) => add(row, last + 1)).length
        return { stored, duplicates: rows.length - stored }
      }),
    drop: ({ before }, atMost) => Effect.sync(() => drop(before, atMost)),
    span: (address) => Effect.sync(() => spans.get(addressOf(address))),
    trace: (traceId) => Effect.sync(() => [...traces.get(traceId) ?? []].sort(byStart)),
    findCalls: (filter, page) =>
      Effect.sync(() => MemoryCalls.page(calls().filter((call) => MemoryCalls.fits(call, filter)), page)),
    countCalls: (filter, atMost) =>
      Effect.sync(() => Math.min(atMost, calls().filter((call) => MemoryCalls.fits(call, filter)).length)),
    changedCalls: (after, limit) => Effect.sync(() => changedCalls(after, limit)),
    figures: (limit) => Effect.sync(() => MemoryCalls.figures(calls(), limit)),
    findViolations: (filter, limit) =>
      Effect.sync(() =>
        faults(filter)
          .filter(({ sequence }) => filter.after === undefined || sequence < filter.after)
          .toReversed().slice(0, limit).map(MemoryCalls.storedViolation)
      ),
    countViolations: (filter) => Effect.sync(() => faults(filter).length),
    violationKinds: Effect.sync(() => MemoryCalls.kindsOf(violations())),
    conversationTraces: (conversation, limit) => Effect.sync(() => conversationTraces(conversation, limit)),
    linksTo: (address) => Effect.sync(() => [...links.get(addressOf(address)) ?? []]),
    stats: Effect.sync(stats)
  }
}

/** A store in memory, empty at first. */
export const layer: Layer.Layer<TraceStore | TraceReader> = Layer.effectContext(
  Effect.sync(() => {
    const store = make()
    return Context.make(TraceStore, store).pipe(Context.add(TraceReader, store))
  })
)
