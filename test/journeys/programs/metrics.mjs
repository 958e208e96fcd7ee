// A known set of calls (answered, failed, not decoded, invented, approved, denied, of one id, streamed) in an app that exports
// its metrics and its spans by Effect's own exporters to the URL in SINK.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import { tracer } from "./coverage.mjs"

const tool = (name, more = {}) =>
  Tool.make(name, {
    parameters: Schema.Struct({ key: Schema.String }),
    success: Schema.String,
    failure: Schema.String,
    failureMode: "return",
    ...more
  })
const toolkit = Toolkit.make(tool("lookup"), tool("wipe", { needsApproval: true }))
const handlers = toolkit.toLayer({
  lookup: ({ key }) => key === "none" ? Effect.fail("nothing there") : Effect.succeed(`found ${key}`),
  wipe: ({ key }) => Effect.succeed(`wiped ${key}`)
})

const finish = {
  type: "finish",
  reason: "tool-calls",
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
}
const call = (id, name, params = { key: "a" }) => ({ type: "tool-call", id, name, params })

const turn = (mode, prompt, ...calls) => {
  const answer = () => [...calls, finish]
  const model = LanguageModel.make({
    generateText: () => Effect.sync(answer),
    streamText: () => Stream.suspend(() => Stream.fromIterable(answer()))
  })
  const options = { prompt, toolkit }
  return (mode === "streamText"
    ? Effect.map(Stream.runCollect(LanguageModel.streamText(options)), (parts) => Array.from(parts))
    : Effect.map(LanguageModel.generateText(options), (response) => response.content)).pipe(
      Effect.provideServiceEffect(LanguageModel.LanguageModel, model),
      Effect.catchCause(() => Effect.succeed([]))
    )
}

const answered = (parts, approved) => {
  const { approvalId } = parts.find((part) => part.type === "tool-approval-request")
  const answer = Prompt.toolMessage({ content: [Prompt.toolApprovalResponsePart({ approvalId, approved })] })
  return Prompt.concat(
    Prompt.concat(Prompt.make("go"), Prompt.fromResponseParts(parts)),
    Prompt.fromMessages([answer])
  )
}

const program = Effect.gen(function*() {
  yield* turn("generateText", "go", call("a1", "lookup"), call("a2", "lookup", { key: "none" }))
  yield* turn("streamText", "go", call("b1", "lookup"), call("b2", "lookup"), call("b3", "lookup"))
  yield* turn("generateText", "go", call("c1", "lookup", { wrong: "a" }))
  yield* turn("generateText", "go", call("d1", "invented_by_the_model"))
  yield* turn("generateText", "go", call("e1", "lookup"), call("e1", "lookup", { key: "b" }))
  const first = yield* turn("generateText", "go", call("f1", "wipe"))
  yield* turn("generateText", answered(first, true))
  const second = yield* turn("streamText", "go", call("g1", "wipe"))
  yield* turn("generateText", answered(second, false))
})

const metrics = OtlpMetrics.layer({
  url: `${process.env.SINK}/v1/metrics`,
  resource: { serviceName: "app" },
  exportInterval: "1 hour"
}).pipe(Layer.provide(OtlpSerialization.layerJson), Layer.provide(FetchHttpClient.layer))

await Effect.runPromise(program.pipe(Effect.provide(handlers), Effect.provide([tracer, metrics])))
