// An app that traces already, in the manner of its first argument, and sends its spans to SINK. It answers a request that
// came with a trace, a trace state and baggage; a tool asks the service at DOWNSTREAM, with what the context propagates.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core"
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { NodeSDK } from "@opentelemetry/sdk-node"
import { SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { tracer as effectOtlp } from "./coverage.mjs"

const manner = process.argv[2]

const processor = () => new SimpleSpanProcessor(new OTLPTraceExporter({ url: `${process.env.SINK}/v1/traces` }))

let layer = Layer.empty
let end = () => trace.getTracerProvider().getDelegate?.().forceFlush?.()
switch (manner) {
  case "effect's own exporter":
    layer = effectOtlp
    break
  case "NodeSdk of @effect/opentelemetry":
    // That layer brings neither of the two, under register they stand already.
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    propagation.setGlobalPropagator(
      new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] })
    )
    layer = NodeSdk.layer(() => ({ resource: { serviceName: "app" }, spanProcessor: processor() }))
    break
  case "sdk-node and a layer":
    layer = OtelTracer.layerGlobal
  // The same SDK, and effects that are told of it.
  case "sdk-node": {
    const sdk = new NodeSDK({ serviceName: "app", spanProcessors: [processor()] })
    sdk.start()
    end = () => sdk.shutdown()
    break
  }
  case "vendor and a layer":
    layer = OtelTracer.layerGlobal
}

const Tools = Toolkit.make(
  Tool.make("ask", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.String })
)
const handlers = Tools.toLayer({
  ask: () =>
    Effect.promise(async () => {
      const headers = {}
      propagation.inject(context.active(), headers)
      return (await fetch(process.env.DOWNSTREAM, { headers })).text()
    })
})

const answer = () => [
  { type: "tool-call", id: "call_1", name: "ask", params: { key: "a" } },
  { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } }
]
const model = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: () => Effect.sync(answer),
    streamText: () => Stream.suspend(() => Stream.fromIterable(answer()))
  })
)

const incoming = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "vendor=opaque",
  baggage: "user=ada"
}
const answers = Effect.gen(function*() {
  const options = { prompt: "go", toolkit: Tools }
  const response = yield* LanguageModel.generateText(options)
  const parts = yield* Stream.runCollect(LanguageModel.streamText(options))
  return [...response.toolResults, ...Array.from(parts).filter((part) => part.type === "tool-result")]
}).pipe(Effect.withSpan("answer"), Effect.provide([handlers, model]))

const effectParent = Tracer.externalSpan({
  traceId: incoming.traceparent.slice(3, 35),
  spanId: incoming.traceparent.slice(36, 52),
  sampled: true
})
const program = manner === "effect's own exporter" ? Effect.withParentSpan(answers, effectParent) : answers

const results = await context.with(
  propagation.extract(ROOT_CONTEXT, incoming),
  () =>
    trace.getTracer("app").startActiveSpan("request", async (span) => {
      const results = await Effect.runPromise(program.pipe(Effect.provide(layer)))
      span.end()
      return results
    })
)
await end()
process.stdout.write(`${JSON.stringify(results.map(({ result }) => result))}\n`)
