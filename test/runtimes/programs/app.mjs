// An app in a page: a turn in each mode and a `handle` by hand, traced by Effect's own exporter to the page's own server.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import { model } from "./model.mjs"

const Tools = Toolkit.make(
  Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.String })
)
const handlers = Tools.toLayer({ lookup: ({ key }) => Effect.succeed(`found ${key}`) })

const tracer = OtlpTracer.layer({ url: `${location.origin}/v1/traces`, resource: { serviceName: "app" } }).pipe(
  Layer.provide(OtlpSerialization.layerJson),
  Layer.provide(FetchHttpClient.layer)
)

const program = Effect.gen(function*() {
  const options = { prompt: "go", toolkit: Tools }
  const response = yield* LanguageModel.generateText(options).pipe(Effect.withSpan("app.generate"))
  const parts = yield* Stream.runCollect(LanguageModel.streamText(options)).pipe(Effect.withSpan("app.stream"))
  const withHandlers = yield* Tools
  yield* Effect.flatMap(withHandlers.handle("lookup", { key: "secret" }, "call_2"), Stream.runDrain).pipe(
    Effect.withSpan("app.manual")
  )
  return [...response.toolResults, ...Array.from(parts).filter((part) => part.type === "tool-result")]
    .map(({ result }) => result)
})

/** The results of both turns, once the spans are sent; `by` is put around each layer. */
export const main = (by = (layer) => layer) =>
  Effect.runPromise(program.pipe(Effect.provide([handlers, model(by)]), Effect.provide(tracer)))
