/**
 * A store that lives as long as its scope: for tests, and for looking at one run. It keeps everything; nothing bounds it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SpanRow } from "../otlp/SpanRow.ts"
import * as CallSpan from "./CallSpan.ts"
import * as LinkTarget from "./LinkTarget.ts"
import type { CallSpanFilter, IncomingLink, SpanAddress, StoredSpan, StoreStats } from "./TraceReader.ts"
import { TraceReader } from "./TraceReader.ts"
import { TraceStore } from "./TraceStore.ts"

const compare = (one: bigint | number, other: bigint | number): number => one < other ? -1 : one > other ? 1 : 0

const byStart = (one: StoredSpan, other: StoredSpan): number =>
  compare(one.row.start, other.row.start) || compare(one.sequence, other.sequence)

const addressOf = (address: SpanAddress): string => `${address.traceId}-${address.spanId}`

const fits = (span: StoredSpan, call: CallSpan.CallSpan, filter: CallSpanFilter): boolean => {
  const same = (wanted: string | undefined, value: string | undefined) => wanted === undefined || wanted === value
  const { start } = span.row
  return same(filter.id, call.id)
    && same(filter.key, call.key)
    && same(filter.tool, call.tool)
    && same(filter.stage, call.stage)
    && same(filter.state, call.state)
    && same(filter.outcome, call.outcome)
    && same(filter.conversation, call.conversation)
    && same(filter.service, call.service)
    && (filter.from === undefined || start >= filter.from)
    && (filter.until === undefined || start < filter.until)
    && (filter.after === undefined || start < filter.after.start
      || (start === filter.after.start && span.sequence < filter.after.sequence))
}

/** A new, empty store. */
export const make = (): TraceStore.Shape => {
  const spans = new Map<string, StoredSpan>()
  const traces = new Map<string, Array<StoredSpan>>()
  const calls: Array<{ readonly span: StoredSpan; readonly call: CallSpan.CallSpan }> = []
  const links = new Map<string, Array<IncomingLink>>()

  const push = <A>(map: Map<string, Array<A>>, key: string, value: A): void => {
    const list = map.get(key)
    if (list === undefined) map.set(key, [value])
    else list.push(value)
  }

  const add = (row: SpanRow): boolean => {
    const address = addressOf(row)
    if (spans.has(address)) return false
    const span: StoredSpan = { sequence: spans.size + 1, row }
    spans.set(address, span)
    push(traces, row.traceId, span)
    const call = CallSpan.ofRow(row)
    if (call !== undefined) calls.push({ span, call })
    for (const target of LinkTarget.ofRow(row)) push(links, addressOf(target), { from: span, type: target.type })
    return true
  }

  const stats = (): StoreStats => {
    const sorted = [...spans.values()].sort(byStart)
    const oldest = sorted[0]?.row.start
    const newest = sorted.at(-1)?.row.start
    return {
      spans: spans.size,
      callSpans: calls.length,
      traces: traces.size,
      bytes: 0,
      ...(oldest === undefined ? {} : { oldest }),
      ...(newest === undefined ? {} : { newest })
    }
  }

  return {
    append: (rows) =>
      Effect.sync(() => {
        const stored = rows.filter(add).length
        return { stored, duplicates: rows.length - stored }
      }),
    span: (address) => Effect.sync(() => spans.get(addressOf(address))),
    trace: (traceId) => Effect.sync(() => [...traces.get(traceId) ?? []].sort(byStart)),
    findCallSpans: (filter, limit) =>
      Effect.sync(() =>
        calls.filter(({ call, span }) => fits(span, call, filter))
          .map(({ span }) => span)
          .sort((one, other) => byStart(other, one))
          .slice(0, limit)
      ),
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
