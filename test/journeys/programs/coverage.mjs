// A turn in each mode and a `handle` by hand, under a tracer that the app brings: Effect's own OTLP exporter, to the URL
// in SINK. With ANTHROPIC_BASE_URL the model is that of a provider package.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"

const same = (value) => value

const Tools = Toolkit.make(
  Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.String })
)
const handlers = Tools.toLayer({ lookup: ({ key }) => Effect.succeed(`found ${key}`) })

const answer = () => [
  { type: "tool-call", id: "call_1", name: "lookup", params: { key: "secret" } },
  { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } }
]

const hooks = {
  generateText: () => Effect.sync(answer),
  streamText: () => Stream.suspend(() => Stream.fromIterable(answer()))
}

const anthropic = async (client) => {
  const { AnthropicClient, AnthropicLanguageModel } = await import("@effect/ai-anthropic")
  return AnthropicLanguageModel.layer({ model: "claude-haiku-4-5", config: { max_tokens: 64 } }).pipe(
    Layer.provide(client(
      AnthropicClient.layer({ apiKey: Redacted.make("replay"), apiUrl: process.env.ANTHROPIC_BASE_URL })
    )),
    Layer.provide(FetchHttpClient.layer)
  )
}

/** The tracer that the app brings. */
export const tracer = OtlpTracer.layer({ url: `${process.env.SINK}/v1/traces`, resource: { serviceName: "app" } }).pipe(
  Layer.provide(OtlpSerialization.layerJson),
  Layer.provide(FetchHttpClient.layer)
)

/** What is put around the pieces by hand, if anything. */
export const main = async (by = {}) => {
  const { languageModel = same, layer = same, provider = same, toolkit = same } = by
  const model = process.env.ANTHROPIC_BASE_URL === undefined
    ? layer(Layer.effect(LanguageModel.LanguageModel, Effect.map(LanguageModel.make(provider(hooks)), languageModel)))
    : layer(await anthropic(layer))
  const program = Effect.gen(function*() {
    const options = { prompt: "go", toolkit: Tools }
    yield* LanguageModel.generateText(options).pipe(Effect.withSpan("app.generate"))
    yield* Stream.runDrain(LanguageModel.streamText(options)).pipe(Effect.withSpan("app.stream"))
    const withHandlers = toolkit(yield* Tools)
    yield* Effect.flatMap(withHandlers.handle("lookup", { key: "secret" }, "call_2"), Stream.runDrain).pipe(
      Effect.withSpan("app.manual")
    )
  })
  await Effect.runPromise(program.pipe(Effect.provide([handlers, model]), Effect.provide(tracer)))
}

if (process.argv[1] === import.meta.filename || process.argv[2] === "main") await main()
