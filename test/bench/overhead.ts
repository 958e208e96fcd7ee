// What toolspan adds to a turn, against the raw cost of writing the same spans, attributes and links by the OTel API.
import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import type { Link, SpanKind, Tracer } from "@opentelemetry/api"
import { ROOT_CONTEXT, trace } from "@opentelemetry/api"
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base"
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  InMemorySpanExporter,
  SimpleSpanProcessor
} from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import process from "node:process"
import * as Toolspan from "../../src/index.ts"
import type { Contestant } from "./turnAbout.ts"
import { turnAbout } from "./turnAbout.ts"

const Lookup = Tool.make("lookup", {
  description: "Looks a key up",
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.String
})
const kit = Toolkit.make(Lookup)
const handlers = kit.toLayer({ lookup: ({ key }) => Effect.succeed(`lookup:${key}`) })

const usage = { inputTokens: { total: 5 }, outputTokens: { total: 7 } }

let run = 0

const parts = (calls: number): Array<any> => {
  run++
  const made: Array<any> = []
  for (let index = 0; index < calls; index++) {
    made.push({ type: "tool-call", id: `call_${run}_${index}`, name: "lookup", params: { key: `k${index}` } })
  }
  made.push({ type: "finish", reason: "tool-calls", usage, response: undefined })
  return made
}

const hooks = (calls: number) => ({
  generateText: () => Effect.sync(() => parts(calls)),
  streamText: () => Stream.fromIterableEffect(Effect.sync(() => parts(calls)))
})

/** A turn with so many calls, as a program that needs only its tracer. */
const turn = (calls: number, told: boolean): Effect.Effect<unknown> => {
  const make = told
    ? Effect.map(LanguageModel.make(Toolspan.provider(hooks(calls))), Toolspan.languageModel)
    : LanguageModel.make(hooks(calls))
  const model = Effect.runSync(make)
  const context = Effect.runSync(Effect.scoped(Layer.build(handlers)))
  return model.generateText({ prompt: "go", toolkit: kit }).pipe(Effect.provide(context), Effect.orDie)
}

class Nowhere implements SpanExporter {
  export(_: Array<ReadableSpan>, done: (result: { code: 0 }) => void): void {
    done({ code: 0 })
  }
  shutdown(): Promise<void> {
    return Promise.resolve()
  }
}

const providerOf = (sampled: boolean): NodeTracerProvider =>
  new NodeTracerProvider({
    ...(sampled ? {} : { sampler: new AlwaysOffSampler() }),
    spanProcessors: [new BatchSpanProcessor(new Nowhere(), { maxQueueSize: 65_536 })]
  })

const tracerContext = (provider: NodeTracerProvider): Context.Context<never> =>
  Effect.runSync(
    Effect.scoped(
      Layer.build(OtelTracer.layerWithoutOtelTracer.pipe(
        Layer.provide(Layer.succeed(OtelTracer.OtelTracer, provider.getTracer("bench")))
      ))
    )
  )

const running = (program: Effect.Effect<unknown>, context: Context.Context<never>) => {
  const runIt = Effect.runPromiseWith(context)
  return async (): Promise<void> => {
    await runIt(program)
  }
}

/** The spans that toolspan writes in one such turn, as data. */
const spansOf = async (calls: number): Promise<ReadonlyArray<ReadableSpan>> => {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  await running(turn(calls, true), tracerContext(provider))()
  return exporter.getFinishedSpans().filter((span) => !span.name.startsWith("LanguageModel."))
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

interface Figures {
  readonly calls: number
  readonly bare: number
  readonly sdk: number
  readonly toolspan: number
  readonly raw: number
  readonly added: number
  readonly addedOverRaw: number
  readonly unsampledAddedMicrosPerCall: number
  readonly disabledAddedMicrosPerCall: number
}

const measure = async (calls: number): Promise<Figures> => {
  const sampled = tracerContext(providerOf(true))
  const unsampled = tracerContext(providerOf(false))
  const disabled = Context.merge(
    sampled,
    Effect.runSync(Effect.scoped(Layer.build(Toolspan.layer({ enabled: false }))))
  )
  const tracer = providerOf(true).getTracer("raw")
  const bare = turn(calls, false)
  const told = turn(calls, true)
  const contestants: ReadonlyArray<Contestant> = [
    { name: "bare", run: running(bare, Context.empty()) },
    { name: "sdk", run: running(bare, sampled) },
    { name: "toolspan", run: running(told, sampled) },
    { name: "raw", run: raw(await spansOf(calls), tracer) },
    { name: "sdkUnsampled", run: running(bare, unsampled) },
    { name: "toolspanUnsampled", run: running(told, unsampled) },
    { name: "disabled", run: running(told, disabled) }
  ]
  const micros = await turnAbout(contestants, { rounds: 15, sliceMillis: 60 })
  const of = (name: string): number => micros[name] ?? 0
  const added = of("toolspan") - of("sdk")
  return {
    calls,
    bare: of("bare"),
    sdk: of("sdk"),
    toolspan: of("toolspan"),
    raw: of("raw"),
    added,
    addedOverRaw: added / of("raw"),
    unsampledAddedMicrosPerCall: (of("toolspanUnsampled") - of("sdkUnsampled")) / calls,
    disabledAddedMicrosPerCall: (of("disabled") - of("sdk")) / calls
  }
}

const line = (figures: Figures): string =>
  `${figures.calls} call${figures.calls === 1 ? " " : "s"}: bare ${figures.bare.toFixed(0)} µs, ` +
  `SDK ${figures.sdk.toFixed(0)} µs, toolspan ${figures.toolspan.toFixed(0)} µs, ` +
  `added ${figures.added.toFixed(0)} µs = ${figures.addedOverRaw.toFixed(1)} × raw (${figures.raw.toFixed(0)} µs); ` +
  `not sampled +${figures.unsampledAddedMicrosPerCall.toFixed(1)} µs a call, ` +
  `disabled +${figures.disabledAddedMicrosPerCall.toFixed(1)} µs a call`

/** Measures, and prints one line a size, or one JSON object. */
export const main = async (json: boolean): Promise<void> => {
  const sizes = [await measure(1), await measure(8)]
  const addedOverRaw = Math.max(...sizes.map((figures) => figures.addedOverRaw))
  const unsampledMicros = Math.max(...sizes.map((figures) => figures.unsampledAddedMicrosPerCall))
  process.stdout.write(
    json
      ? `${JSON.stringify({ addedOverRaw, unsampledMicros, figures: sizes })}\n`
      : `${sizes.map(line).join("\n")}\n`
  )
}
