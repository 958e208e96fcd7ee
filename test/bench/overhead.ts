// What toolspan adds to a turn: against the raw cost of writing the same spans by the OTel API, and against what a peer adds.
import type { Link, SpanKind, Tracer } from "@opentelemetry/api"
import { ROOT_CONTEXT, trace } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { Context, Effect, Exit, Layer, Option, Tracer as EffectTracer } from "effect"
import process from "node:process"
import * as Toolspan from "../../src/index.ts"
import type { PeerTurn } from "./peer.ts"
import * as Peer from "./peer.ts"
import { providerOf, providerTo, tracerContext } from "./provider.ts"
import type { Size } from "./turn.ts"
import { turn } from "./turn.ts"
import type { Contestant } from "./turnAbout.ts"
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

/** Microseconds a run, but where the name says otherwise. */
interface Figures extends Size {
  readonly bare: number
  readonly sdk: number
  readonly toolspan: number
  readonly raw: number
  /** The spans of `raw` through Effect's tracer. */
  readonly bridged: number
  readonly added: number
  readonly addedOverRaw: number
  readonly peerAdded: number | undefined
  readonly addedOverPeer: number | undefined
  readonly unsampledAdded: number
  readonly unsampledMicrosPerCall: number
  readonly unsampledOverSampled: number
  readonly disabledMicrosPerCall: number
}

const measure = async (size: Size, peer: PeerTurn | undefined): Promise<Figures> => {
  const { calls, streamed } = size
  const sampled = tracerContext(providerOf(true))
  const unsampled = tracerContext(providerOf(false))
  const disabled = Context.merge(
    sampled,
    Effect.runSync(Effect.scoped(Layer.build(Toolspan.layer({ enabled: false }))))
  )
  const bare = turn(size, false)
  const told = turn(size, true)
  const contestants: ReadonlyArray<Contestant> = [
    { name: "bare", run: running(bare, Context.empty()) },
    { name: "sdk", run: running(bare, sampled) },
    { name: "toolspan", run: running(told, sampled) },
    { name: "raw", run: raw(await spansOf(size), providerOf(true).getTracer("raw")) },
    { name: "bridged", run: bridged(await spansOf(size), sampled) },
    { name: "sdkUnsampled", run: running(bare, unsampled) },
    { name: "toolspanUnsampled", run: running(told, unsampled) },
    { name: "disabled", run: running(told, disabled) },
    ...(peer === undefined ? [] : [
      { name: "peerBare", run: peer(calls, streamed, undefined) },
      { name: "peer", run: peer(calls, streamed, providerOf(true).getTracer("peer")) }
    ])
  ]
  const micros = await turnAbout(contestants, { rounds: 21, sliceMillis: 50 })
  const of = (name: string): number => micros[name] ?? 0
  const added = of("toolspan") - of("sdk")
  const peerAdded = peer === undefined ? undefined : of("peer") - of("peerBare")
  const unsampledAdded = of("toolspanUnsampled") - of("sdkUnsampled")
  return {
    ...size,
    bare: of("bare"),
    sdk: of("sdk"),
    toolspan: of("toolspan"),
    raw: of("raw"),
    bridged: of("bridged"),
    added,
    addedOverRaw: added / of("raw"),
    peerAdded,
    addedOverPeer: peerAdded === undefined ? undefined : added / peerAdded,
    unsampledAdded,
    unsampledMicrosPerCall: unsampledAdded / calls,
    unsampledOverSampled: unsampledAdded / added,
    disabledMicrosPerCall: (of("disabled") - of("sdk")) / calls
  }
}

const line = (one: Figures): string =>
  `${one.turns === 1 ? "a turn" : "a run of two turns"}, ${one.calls} call${one.calls === 1 ? "" : "s"}, ` +
  `${one.streamed ? "streamed" : "plain"}: ` +
  `bare ${one.bare.toFixed(0)} µs, SDK ${one.sdk.toFixed(0)} µs, toolspan ${one.toolspan.toFixed(0)} µs, ` +
  `added ${one.added.toFixed(0)} µs = ${one.addedOverRaw.toFixed(1)} × raw (${
    one.raw.toFixed(0)
  } µs, through Effect's tracer ${one.bridged.toFixed(0)} µs)` +
  (one.addedOverPeer === undefined
    ? ""
    : ` = ${one.addedOverPeer.toFixed(2)} × peer (${one.peerAdded?.toFixed(0)} µs)`) +
  `; not sampled +${one.unsampledMicrosPerCall.toFixed(1)} µs a call (${one.unsampledOverSampled.toFixed(2)} of it), ` +
  `disabled +${one.disabledMicrosPerCall.toFixed(1)} µs a call`

const worst = (values: ReadonlyArray<number>): number => Math.max(...values)

/** Measures, and prints one line a size, or one JSON object. */
export const main = async (json: boolean): Promise<void> => {
  const peer = await Peer.load()
  const figures: Array<Figures> = []
  for (const streamed of [false, true]) {
    for (const calls of [1, 8]) {
      figures.push(await measure({ calls, streamed, turns: 1 }, undefined))
      if (peer !== undefined) figures.push(await measure({ calls, streamed, turns: 2 }, peer))
    }
  }
  if (!json) return void process.stdout.write(`${figures.map(line).join("\n")}\n`)
  const single = figures.filter((one) => one.turns === 1)
  const overPeer = figures.flatMap((one) => one.addedOverPeer ?? [])
  process.stdout.write(`${
    JSON.stringify({
      addedOverRaw: worst(single.map((one) => one.addedOverRaw)),
      addedOverPeer: overPeer.length === 0 ? null : worst(overPeer),
      unsampledMicros: worst(single.map((one) => one.unsampledMicrosPerCall)),
      disabledMicros: worst(single.map((one) => one.disabledMicrosPerCall)),
      figures
    })
  }\n`)
}
