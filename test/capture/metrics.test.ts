import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import * as Toolspan from "../../src/index.ts"

const Lookup = Tool.make("lookup", {
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.String,
  failure: Schema.String,
  failureMode: "return"
})
const kit = Toolkit.make(Lookup)
const handlers = kit.toLayer({
  lookup: ({ key }) => key === "none" ? Effect.fail("nothing there") : Effect.succeed(`found ${key}`)
})

const answer = (...keys: ReadonlyArray<string>): Array<any> => [
  ...keys.map((key, index) => ({ type: "tool-call", id: `call_${index}`, name: "lookup", params: { key } })),
  { type: "finish", reason: "tool-calls", usage: { inputTokens: {}, outputTokens: {} }, response: undefined }
]

const model = Layer.effect(
  LanguageModel.LanguageModel,
  Effect.map(
    LanguageModel.make(Toolspan.provider({
      generateText: () => Effect.succeed(answer("a", "none")),
      streamText: () => Stream.fromIterable(answer("a"))
    })),
    Toolspan.languageModel
  )
)

const counters = (snapshot: ReadonlyArray<Metric.Metric.Snapshot>): ReadonlyArray<string> =>
  snapshot.flatMap((one) =>
    one.type === "Counter" && one.id !== "toolspan.stage.calls"
      ? [`${one.id} ${Object.values(one.attributes ?? {}).join(" ")}: ${one.state.count}`]
      : []
  ).sort()

const measured = (settings: Toolspan.SettingsInput, turn: Effect.Effect<unknown, any, any>) =>
  Effect.andThen(turn, Metric.snapshot).pipe(
    Effect.provide([model, handlers, Toolspan.layer({ isolated: true, ...settings })]),
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.orDie
  ) as Effect.Effect<ReadonlyArray<Metric.Metric.Snapshot>>

describe("metrics of a turn", () => {
  const generated = LanguageModel.generateText({ prompt: "go", toolkit: kit })

  it.effect("are in the registry of the program, with its own labels left off", () =>
    Effect.gen(function*() {
      const labelled = Effect.provideService(generated, Metric.CurrentMetricAttributes, { request: "r-1" })
      const snapshot = yield* measured({ metrics: true }, labelled)
      assert.deepStrictEqual(counters(snapshot), [
        "gen_ai.client.inference.calls : 1",
        "gen_ai.execute_tool.calls lookup function _OTHER: 1",
        "gen_ai.execute_tool.calls lookup function: 1"
      ])
      assert.isFalse(snapshot.some((one) => "request" in (one.attributes ?? {})))
      assert.strictEqual(snapshot.filter((one) => one.id === "toolspan.stage.calls").length, 5)
    }))

  it.effect("are the same where nothing is sampled", () =>
    Effect.gen(function*() {
      const streamed = Stream.runDrain(LanguageModel.streamText({ prompt: "go", toolkit: kit }))
      const sampled = yield* measured({ metrics: true }, streamed)
      const unsampled = yield* measured(
        { metrics: true },
        Effect.withSpan(streamed, "root", { sampled: false })
      )
      assert.deepStrictEqual(counters(unsampled), counters(sampled))
      assert.include(counters(sampled), "gen_ai.execute_tool.calls lookup function: 1")
    }))

  it.effect("are not made unless asked for", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* measured({}, generated), [])
    }))
})
