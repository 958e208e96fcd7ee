// A model that the app makes itself.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"

const answer = () => [
  { type: "tool-call", id: "call_1", name: "lookup", params: { key: "secret" } },
  { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } }
]

export const model = (by) =>
  by(Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.sync(answer),
      streamText: () => Stream.suspend(() => Stream.fromIterable(answer()))
    })
  ))
