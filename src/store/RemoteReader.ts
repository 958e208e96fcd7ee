/**
 * The reading half of the store's contract over a trace store of somebody else's.
 */
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Attribute from "../semconv/attribute.ts"
import * as Capability from "./Capability.ts"
import * as LinkTarget from "./LinkTarget.ts"
import * as MemoryCalls from "./MemoryCalls.ts"
import * as RemoteCalls from "./RemoteCalls.ts"
import type { Alternative, RemoteEngine, Window } from "./RemoteEngine.ts"
import * as RemoteFaults from "./RemoteFaults.ts"
import * as RemoteSpans from "./RemoteSpans.ts"
import * as SpanNumber from "./SpanNumber.ts"
import * as StageSpan from "./StageSpan.ts"
import type { IncomingLink, SpanAddress, StoredSpan, TraceReader } from "./TraceReader.ts"

/** Answers that are kept, at most; traces count by themselves. */
const keptAtMost = 200

const compare = (one: bigint, other: bigint): number => one < other ? -1 : one > other ? 1 : 0

const byStart = (one: StoredSpan, other: StoredSpan): number => compare(one.row.start, other.row.start)

const isTraceId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

const isAddress = ({ spanId, traceId }: SpanAddress): boolean => isTraceId(traceId) && /^[0-9a-f]{16}$/.test(spanId)

/** The engine with answers that are kept for so long: one story asks for the same traces many times. */
const kept = Effect.fnUntraced(function*(engine: RemoteEngine, freshness: Duration.Duration) {
  const timeToLive = (exit: Exit.Exit<unknown, unknown>) => Exit.isSuccess(exit) ? freshness : Duration.zero
  const traces = yield* Cache.makeWith(engine.trace, { capacity: keptAtMost, timeToLive })
  const searches = yield* Cache.makeWith((question: string) => {
    const [anyOf, from, until] = JSON.parse(question) as [ReadonlyArray<Alternative>, string, string]
    return engine.search(anyOf, { from: BigInt(from), until: BigInt(until) })
  }, { capacity: keptAtMost, timeToLive })
  return {
    ...engine,
    trace: (traceId) => Cache.get(traces, traceId),
    search: (anyOf, { from, until }) => Cache.get(searches, JSON.stringify([anyOf, String(from), String(until)]))
  } satisfies RemoteEngine
})

/** Reads this engine; an answer of it is used again for as long as `freshness` says. */
export const make = Effect.fnUntraced(function*(remote: RemoteEngine, freshness: Duration.Duration) {
  const engine = Duration.isZero(freshness) ? remote : yield* kept(remote, freshness)
  const { capabilities } = engine
  const calls = RemoteCalls.make(engine)
  const faults = RemoteFaults.all(engine, calls)
  const partialLinks = capabilities.partial.some(({ question }) => question === "incoming")

  const trace = (traceId: string) =>
    isTraceId(traceId)
      ? Effect.map(
        engine.trace(traceId),
        (rows) => rows.map((row): StoredSpan => ({ sequence: SpanNumber.of(row), row })).toSorted(byStart)
      )
      : Effect.succeed<ReadonlyArray<StoredSpan>>([])

  const span = (address: SpanAddress) =>
    Effect.map(trace(address.traceId), (spans) => spans.find(({ row }) => row.spanId === address.spanId))

  const tracesOf = Effect.fnUntraced(function*(conversation: string, window: Window) {
    const found = yield* engine.search(
      [[{ on: "span", key: Attribute.genAiConversationId, value: conversation }]],
      window
    )
    if (found.complete) return found.traceIds
    return yield* RemoteSpans.tooMany(engine, "calls", `the conversation has more than ${engine.tracesAtMost} traces`)
  })

  const linksTo = Effect.fnUntraced(function*(address: SpanAddress) {
    if (!isAddress(address)) return []
    const window = yield* calls.window()
    const target = yield* span(address)
    const stage = target && StageSpan.ofRow(target.row)
    const spans = RemoteSpans.make(engine)
    yield* spans.load([address.traceId])
    // Where links are not searched, only a span of a call has links that an attribute repeats.
    if (target === undefined || stage !== undefined || !partialLinks) {
      yield* spans.load(yield* RemoteSpans.linking(engine, engine.incoming(address), window))
    }
    if (partialLinks && stage?.stage === "result" && stage.conversation !== undefined) {
      yield* spans.load(yield* tracesOf(stage.conversation, window))
    }
    return spans.all().toSorted(byStart).flatMap((from): ReadonlyArray<IncomingLink> =>
      LinkTarget.ofRow(from.row)
        .filter(({ spanId, traceId }) => traceId === address.traceId && spanId === address.spanId)
        .map(({ type }) => ({ from, type }))
    )
  })

  const conversationTraces = Effect.fnUntraced(function*(conversation: string, limit: number) {
    const spans = RemoteSpans.make(engine)
    yield* spans.load(yield* tracesOf(conversation, yield* calls.window()))
    const there = spans.all().toSorted(byStart).filter(({ row }) =>
      row.attributes.some(({ key, value }) => key === Attribute.genAiConversationId && value === conversation)
    )
    return [...new Set(there.map(({ row }) => row.traceId))].slice(0, limit)
  })

  return {
    capabilities,
    trace,
    span,
    linksTo,
    conversationTraces,
    findCalls: calls.page,
    countCalls: (filter, atMost) => Effect.map(calls.all(filter), ({ length }) => Math.min(atMost, length)),
    figures: (limit) => Effect.map(calls.all({}), (found) => MemoryCalls.figures(found, limit)),
    findViolations: (filter, limit) =>
      Effect.map(faults(filter), (found) => {
        const start = filter.after === undefined ? 0 : found.findIndex(({ sequence }) => sequence === filter.after) + 1
        return found.slice(start, start + limit).map(MemoryCalls.storedViolation)
      }),
    countViolations: (filter) => Effect.map(faults(filter), ({ length }) => length),
    violationKinds: Effect.map(faults({}), MemoryCalls.kindsOf),
    changedCalls: () => Effect.fail(Capability.refusal(capabilities, "changes")),
    stats: Effect.fail(Capability.refusal(capabilities, "stats"))
  } satisfies TraceReader.Shape
})
