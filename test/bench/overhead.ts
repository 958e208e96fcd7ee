// What toolspan adds to a turn: against the raw cost of writing the same spans by the OTel API, and against what a peer adds.
import type { Link, SpanKind, Tracer } from "@opentelemetry/api"
import { ROOT_CONTEXT, trace } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Context, Effect, Exit, Layer, Option, Stream, Tracer as EffectTracer } from "effect"
import process from "node:process"
import * as Toolspan from "../../src/index.ts"
import type { PeerTurn } from "./peer.ts"
import * as Peer from "./peer.ts"
import { defaultTracerContext, providerOf, providerTo, tracerContext } from "./provider.ts"
import type { Size } from "./turn.ts"
import { turn } from "./turn.ts"
import type { Micros } from "./turnAbout.ts"
import { turnAbout } from "./turnAbout.ts"

const running = (program: Effect.Effect<unknown>, context: Context.Context<never>) => {
  const runIt = Effect.runPromiseWith(context)
  return async (): Promise<void> => {
    await runIt(program)
  }
}

/** The spans that toolspan writes in one such turn, as data. */
const spansOf = async (size: Size): Promise<ReadonlyArray<ReadableSpan>> => {
  const exporter = new InMemorySpanExporter()
  await running(turn(size, true), tracerContext(providerTo(new SimpleSpanProcessor(exporter))))()
  return exporter.getFinishedSpans().filter((span) => span.name !== "app" && !span.name.startsWith("LanguageModel."))
}

interface Written {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: ReadonlyArray<readonly [string, any]>
  readonly links: Array<Link>
}

const raw = (spans: ReadonlyArray<ReadableSpan>, tracer: Tracer) => {
  const written: ReadonlyArray<Written> = spans.map((span) => ({
    name: span.name,
    kind: span.kind,
    attributes: Object.entries(span.attributes),
    links: span.links.map(({ attributes, context }) => ({ context, ...(attributes && { attributes }) }))
  }))
  return (): Promise<void> => {
    const parent = trace.setSpan(ROOT_CONTEXT, tracer.startSpan("turn"))
    for (const { attributes, kind, links, name } of written) {
      const span = tracer.startSpan(name, { kind, links }, parent)
      for (const [key, value] of attributes) span.setAttribute(key, value)
      span.end()
    }
    return Promise.resolve()
  }
}

/** The same spans through Effect's tracer: what nobody who writes spans as an Effect program does can save. */
const bridged = (spans: ReadonlyArray<ReadableSpan>, context: Context.Context<never>) => {
  const tracer = Context.get(context, EffectTracer.Tracer)
  const open = (name: string, parent: Option.Option<EffectTracer.AnySpan>, links: Array<EffectTracer.SpanLink>) =>
    tracer.span({
      name,
      parent,
      annotations: Context.empty(),
      links,
      startTime: BigInt(Date.now()) * 1_000_000n,
      kind: "internal",
      root: false,
      sampled: true
    })
  const written = spans.map(({ attributes, links, name }) => ({
    name,
    attributes: Object.entries(attributes),
    links: links.map(({ attributes = {}, context }): EffectTracer.SpanLink => ({
      span: EffectTracer.externalSpan(context),
      attributes
    }))
  }))
  return (): Promise<void> => {
    const parent = Option.some(open("turn", Option.none(), []))
    for (const { attributes, links, name } of written) {
      const span = open(name, parent, links)
      for (const [key, value] of attributes) span.attribute(key, value)
      span.end(BigInt(Date.now()) * 1_000_000n, Exit.void)
    }
    return Promise.resolve()
  }
}

/** What stands around the turn, and which tracer it has: what an Effect span costs depends on both. */
const setUps = {
  /** `@effect/opentelemetry`'s layer, a span of the app around the turn. */
  span: { app: true, contextOf: tracerContext },
  /** The same layer, the turn by itself. */
  alone: { app: false, contextOf: tracerContext },
  /** The tracer that `register` gives a program which brings none. */
  default: { app: false, contextOf: defaultTracerContext }
}

type SetUp = keyof typeof setUps

const setUpNames = Object.keys(setUps) as ReadonlyArray<SetUp>

/** Microseconds a run. */
interface Figures {
  readonly calls: number
  readonly streamed: boolean
  readonly turns: 1 | 2
  readonly setUp: SetUp
  readonly bare: number
  readonly sdk: number
  readonly toolspan: number
  readonly raw: number
  /** The spans of `raw` through Effect's tracer. */
  readonly bridged: number
  readonly added: number
  /** How far off `added` may be. */
  readonly addedError: number
  readonly addedOverRaw: number
  readonly peerAdded: number | undefined
  readonly addedOverPeer: number | undefined
  readonly unsampledAdded: number
  readonly unsampledMicrosPerCall: number
}

const disabledLayer = Effect.runSync(Effect.scoped(Layer.build(Toolspan.layer({ enabled: false }))))

const measure = async (
  { calls, streamed, turns }: Omit<Size, "app">,
  setUp: SetUp,
  peer: PeerTurn | undefined
): Promise<Figures> => {
  const { app, contextOf } = setUps[setUp]
  const size: Size = { calls, streamed, turns, app }
  const sampled = contextOf(providerOf(true))
  const unsampled = contextOf(providerOf(false))
  const bare = turn(size, false)
  const told = turn(size, true)
  const spans = await spansOf(size)
  const measured = await turnAbout([
    { name: "bare", run: running(bare, Context.empty()) },
    { name: "sdk", run: running(bare, sampled) },
    { name: "toolspan", run: running(told, sampled) },
    { name: "raw", run: raw(spans, providerOf(true).getTracer("raw")) },
    { name: "bridged", run: bridged(spans, sampled) },
    { name: "sdkUnsampled", run: running(bare, unsampled) },
    { name: "toolspanUnsampled", run: running(told, unsampled) },
    ...(peer === undefined ? [] : [
      { name: "peerBare", run: peer(calls, streamed, undefined) },
      { name: "peer", run: peer(calls, streamed, providerOf(true).getTracer("peer")) }
    ])
  ], { rounds: 21, sliceMillis: 80 })
  const of = (name: string): number => measured.median(name).value
  const added = measured.more("toolspan", "sdk")
  const peerAdded = peer === undefined ? undefined : measured.more("peer", "peerBare").value
  const unsampledAdded = measured.more("toolspanUnsampled", "sdkUnsampled").value
  return {
    calls,
    streamed,
    turns,
    setUp,
    bare: of("bare"),
    sdk: of("sdk"),
    toolspan: of("toolspan"),
    raw: of("raw"),
    bridged: of("bridged"),
    added: added.value,
    addedError: added.error,
    addedOverRaw: added.value / of("raw"),
    peerAdded,
    addedOverPeer: peerAdded === undefined ? undefined : added.value / peerAdded,
    unsampledAdded,
    unsampledMicrosPerCall: unsampledAdded / calls
  }
}

const pieces = ["turn", "request", "handle"] as const

/**
 * What a switched-off toolspan adds to one call of each thing that it wraps: around pieces that do nothing themselves, a
 * thousand at a time, because a microsecond is lost in the noise of a whole turn.
 */
const disabled = async (): Promise<ReadonlyArray<Micros & { readonly piece: typeof pieces[number] }>> => {
  const times = 1000
  const plain: (options: object) => Effect.Effect<void> = () => Effect.void
  const streamed: (options: object) => Stream.Stream<never> = () => Stream.empty
  const service = { generateText: plain, generateObject: plain, streamText: streamed }
  const hooks = { generateText: plain, streamText: streamed }
  const handle: (name: string, params: object) => Effect.Effect<void> = () => Effect.void
  const toolkit = { tools: {}, handle }
  const calls = (told: boolean): Readonly<Record<typeof pieces[number], () => Effect.Effect<void>>> => {
    const model = told ? Toolspan.languageModel(service) : service
    const provider = told ? Toolspan.provider(hooks) : hooks
    const tools = told ? Toolspan.toolkit(toolkit) : toolkit
    return {
      turn: () => model.generateText({ prompt: "go" }),
      request: () => provider.generateText({ prompt: [] }),
      handle: () => tools.handle("lookup", { key: "a" })
    }
  }
  const context = Context.merge(tracerContext(providerOf(true)), disabledLayer)
  const many = (call: () => Effect.Effect<void>) =>
    // Under a span, where each primitive costs the most.
    running(Effect.withSpan(Effect.forEach(Array.from({ length: times }), call, { discard: true }), "app"), context)
  const [bare, off] = [calls(false), calls(true)]
  const measured = await turnAbout(
    pieces.flatMap((piece) => [
      { name: piece, run: many(bare[piece]) },
      { name: `${piece} off`, run: many(off[piece]) }
    ]),
    { rounds: 101, sliceMillis: 40 }
  )
  return pieces.map((piece) => {
    const { error, value } = measured.more(`${piece} off`, piece)
    return { piece, value: value / times, error: error / times }
  })
}

const line = (one: Figures): string =>
  `${one.setUp.padEnd(7)} ${one.turns === 1 ? "a turn" : "a run of two turns"}, ${one.calls} call${
    one.calls === 1 ? "" : "s"
  }, ${one.streamed ? "streamed" : "plain"}: ` +
  `bare ${one.bare.toFixed(0)} µs, SDK ${one.sdk.toFixed(0)} µs, toolspan ${one.toolspan.toFixed(0)} µs, ` +
  `added ${one.added.toFixed(0)} ± ${one.addedError.toFixed(0)} µs = ${one.addedOverRaw.toFixed(1)} × raw (${
    one.raw.toFixed(0)
  } µs, through Effect's tracer ${one.bridged.toFixed(0)} µs)` +
  (one.addedOverPeer === undefined
    ? ""
    : ` = ${one.addedOverPeer.toFixed(2)} × peer (${one.peerAdded?.toFixed(0)} µs)`) +
  `; not sampled +${one.unsampledAdded.toFixed(0)} µs`

const worst = (values: ReadonlyArray<number>): number => Math.max(...values)

/** Measures, and prints one line a size, or one JSON object. */
export const main = async (json: boolean): Promise<void> => {
  const peer = await Peer.load()
  const figures: Array<Figures> = []
  const say = (text: string): void => void (json || process.stdout.write(`${text}\n`))
  const add = async (size: Omit<Size, "app">, setUp: SetUp, against: PeerTurn | undefined): Promise<void> => {
    const one = await measure(size, setUp, against)
    figures.push(one)
    say(line(one))
  }
  for (const setUp of setUpNames) {
    for (const streamed of [false, true]) {
      for (const calls of [1, 8]) {
        await add({ calls, streamed, turns: 1 }, setUp, undefined)
        if (peer !== undefined) await add({ calls, streamed, turns: 2 }, setUp, peer)
      }
    }
  }
  const off = await disabled()
  for (const { error, piece, value } of off) {
    say(`switched off, a ${piece}: ${value.toFixed(2)} ± ${error.toFixed(2)} µs`)
  }
  if (!json) return
  const single = figures.filter((one) => one.turns === 1)
  const overPeer = figures.flatMap((one) => one.addedOverPeer ?? [])
  // Where toolspan saves more than it costs there is nothing to halve.
  const halves = single.filter((one) => one.setUp === "default").map((one) => one.unsampledAdded / one.added)
  process.stdout.write(`${
    JSON.stringify({
      addedOverRaw: worst(single.map((one) => one.addedOverRaw)),
      addedOverRawBySetUp: Object.fromEntries(
        setUpNames.map((
          setUp
        ) => [setUp, worst(single.filter((one) => one.setUp === setUp).map((one) => one.addedOverRaw))])
      ),
      addedOverPeer: overPeer.length === 0 ? null : worst(overPeer),
      unsampledMicros: worst(single.map((one) => one.unsampledMicrosPerCall)),
      unsampledOverSampled: worst(halves),
      // A turn with one request and one call.
      disabledMicros: off.reduce((sum, { value }) => sum + value, 0),
      disabled: off,
      figures
    })
  }\n`)
}
