import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import { assert, describe, it } from "@effect/vitest"
import { context, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll } from "vitest"
import * as Toolspan from "../../src/index.ts"

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const layerTracer = OtelTracer.layerWithoutOtelTracer.pipe(
  Layer.provide(Layer.succeed(OtelTracer.OtelTracer, provider.getTracer("test")))
)

const finish = {
  type: "finish",
  reason: "tool-calls",
  usage: { inputTokens: {}, outputTokens: {} },
  response: undefined
}
const parts: Array<any> = [
  { type: "tool-call", id: "c1", name: "lookup", params: { key: "a" } },
  { type: "tool-call", id: "c2", name: "lookup", params: { key: "b" } },
  finish
]

/** Runs two turns at a time; gives the id of the OpenTelemetry span that was active where foreign code ran. */
const seen = (wrapped: boolean, mode: "generateText" | "streamText") => {
  const active: Array<readonly [place: string, spanId: string | undefined]> = []
  const note = (place: string) =>
    Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => void active.push([place, trace.getSpan(context.active())?.spanContext().spanId]))
    )
  const kit = Toolkit.make(
    Tool.make("lookup", {
      parameters: Schema.Struct({ key: Schema.String }),
      success: Schema.String,
      needsApproval: () => Effect.as(note("needsApproval"), false)
    })
  )
  const handlers = kit.toLayer({
    lookup: ({ key }) => Effect.as(note("handler").pipe(Effect.andThen(Effect.withSpan(note("own span"), "own"))), key)
  })
  const hooks = {
    generateText: () => Effect.as(note("provider"), parts),
    streamText: () => Stream.fromIterableEffect(Effect.as(note("provider"), parts))
  }
  const turn = Effect.gen(function*() {
    const model = wrapped
      ? Toolspan.languageModel(yield* LanguageModel.make(Toolspan.provider(hooks)))
      : yield* LanguageModel.make(hooks)
    if (mode === "generateText") yield* model.generateText({ prompt: "go", toolkit: kit })
    else yield* Stream.runDrain(model.streamText({ prompt: "go", toolkit: kit }))
    yield* note("after")
  }).pipe(Effect.withSpan("app"))
  exporter.reset()
  return Effect.map(
    Effect.provide(
      Effect.all([turn, turn], { concurrency: 2 }),
      Layer.mergeAll(handlers, layerTracer, Toolspan.layer({ isolated: true }))
    ),
    () => {
      const names = new Map(exporter.getFinishedSpans().map((span) => [span.spanContext().spanId, span.name]))
      return active.map(([place, id]) => `${place}: ${id === undefined ? "none" : names.get(id)}`).toSorted()
    }
  )
}

describe.each(["generateText", "streamText"] as const)("the active OpenTelemetry context, %s", (mode) => {
  beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
  afterAll(() => context.disable())

  it.live("is where foreign code runs what it is without toolspan, and in a handler its own execution", () =>
    Effect.gen(function*() {
      const bare = yield* seen(false, mode)
      const told = yield* seen(true, mode)
      assert.isAbove(bare.length, 10)
      assert.deepStrictEqual(
        told,
        bare.map((line) => line.startsWith("handler:") ? "handler: execute_tool lookup" : line)
      )
    }))

  it.live("is the one that was there, when a turn is run inside of another library's", () =>
    Effect.gen(function*() {
      const outer = provider.getTracer("test").startSpan("outer")
      const told = yield* Effect.promise(() =>
        context.with(trace.setSpan(context.active(), outer), () => Effect.runPromise(seen(true, mode)))
      )
      assert.isFalse(told.some((line) => line.endsWith("none")))
      outer.end()
    }))
})
