import { Effect, Layer, Schema, Stream } from "effect"
import { AiError, LanguageModel, Prompt, Tool, Toolkit } from "effect/unstable/ai"
import { KeyValueStore } from "effect/unstable/persistence"
import * as Toolspan from "toolspan"
import { assert, describe, it } from "vitest"

const broken: Prompt.RawInput = [
  { role: "user", content: "go" },
  {
    role: "assistant",
    content: [{ type: "tool-call", id: "c1", name: "lookup", params: {}, providerExecuted: false }]
  },
  { role: "user", content: "never mind" }
]

const modelOf = (asked: Array<Prompt.Prompt>) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.map(
      LanguageModel.make(Toolspan.provider({
        generateText: ({ prompt }: LanguageModel.ProviderOptions) =>
          Effect.sync(() => {
            asked.push(prompt)
            return [{ type: "text" as const, text: "ok" }]
          }),
        streamText: () => Stream.empty
      })),
      Toolspan.languageModel
    )
  )

const turn = (guard: Toolspan.Guard, asked: Array<Prompt.Prompt>) =>
  LanguageModel.generateText({ prompt: broken }).pipe(
    Effect.provide(modelOf(asked)),
    Effect.provide(Toolspan.layer({ guard, isolated: true }))
  )

describe("on the older line", () => {
  it("a strict guard fails with an error of that line", async () => {
    const asked: Array<Prompt.Prompt> = []
    const error = await Effect.runPromise(Effect.flip(turn("strict", asked)))
    assert.lengthOf(asked, 0)
    assert.isTrue(AiError.isAiError(error))
    assert.isTrue(AiError.isAiErrorReason(error.reason))
    assert.strictEqual(error.reason._tag, "InvalidUserInputError")
    assert.strictEqual(Schema.encodeSync(AiError.AiError)(error).reason._tag, "InvalidUserInputError")
    const typed = turn("strict", []).pipe(
      Effect.mapError(Toolspan.toBrokenHistory),
      Effect.catchTag("BrokenHistory", ({ violations }) => Effect.succeed(violations.map(({ kind }) => kind)))
    )
    assert.deepStrictEqual<unknown>(await Effect.runPromise(typed), ["unanswered_call"])
  })

  it("a repairing guard sends a prompt of that line", async () => {
    const asked: Array<Prompt.Prompt> = []
    await Effect.runPromise(turn("repair", asked))
    assert.deepStrictEqual(asked[0]?.content.map(({ role }) => role), ["user", "assistant", "tool", "user"])
    assert.isTrue(Prompt.isPrompt(asked[0]))
  })

  it("once runs a call of a toolkit once", async () => {
    const Count = Tool.make("count", { parameters: Schema.Struct({ by: Schema.Number }), success: Schema.Number })
    const toolkit = Toolkit.make(Count)
    let runs = 0
    const program = Effect.gen(function*() {
      const store = yield* KeyValueStore.KeyValueStore
      const handlers = toolkit.toLayer({
        count: Toolspan.once(store)(Count, ({ by }) => Effect.sync(() => runs += by))
      })
      return yield* Effect.gen(function*() {
        const { handle } = yield* toolkit
        const call = Effect.flatMap(handle("count", { by: 2 }, "c1"), Stream.runCollect)
        return [...yield* call, ...yield* call].map(({ result }) => result)
      }).pipe(Effect.provide(handlers))
    }).pipe(Effect.provide(KeyValueStore.layerMemory))
    assert.deepStrictEqual<unknown>(await Effect.runPromise(program), [2, 2])
    assert.strictEqual(runs, 2)
  })
})
