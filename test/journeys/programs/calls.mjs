// A program that makes as many tool calls as its first argument says, fifty a turn, says so and leaves as it is told.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"

const [count = "5000", ending = "end"] = process.argv.slice(2)

const toolkit = Toolkit.make(
  Tool.make("count", { parameters: Schema.Struct({ number: Schema.Number }), success: Schema.Number })
)
const handlers = toolkit.toLayer({ count: ({ number }) => Effect.succeed(number + 1) })

let next = 0
const answer = () => {
  const calls = Array.from({ length: Math.min(50, Number(count) - next) }, () => ++next)
  return [
    ...calls.map((number) => ({ type: "tool-call", id: `call_${number}`, name: "count", params: { number } })),
    { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } } }
  ]
}
const model = LanguageModel.make({
  generateText: () => Effect.sync(answer),
  streamText: () => Stream.suspend(() => Stream.fromIterable(answer()))
})

const all = Effect.gen(function*() {
  for (let turn = 0; next < Number(count); turn++) {
    const options = { prompt: "count", toolkit }
    if (turn % 2 === 0) yield* LanguageModel.generateText(options)
    else yield* Stream.runDrain(LanguageModel.streamText(options))
  }
}).pipe(Effect.provide(handlers), Effect.provideServiceEffect(LanguageModel.LanguageModel, model))

// Handlers of the app, in the manner that the ending names.
if (ending === "own-exit") process.on("SIGTERM", () => process.exit(9))
if (ending === "own-async") {
  process.once("SIGTERM", async () => {
    await new Promise((resolve) => setImmediate(resolve))
    process.stdout.write("closed\n")
    process.exit(4)
  })
}
if (ending === "own-ignore") process.on("SIGTERM", () => process.stdout.write("ignored\n"))
if (ending === "survive") process.on("uncaughtException", () => process.stdout.write("survived\n"))
process.on("SIGUSR2", () => process.exit(6))

await Effect.runPromise(all)
process.stdout.write("done\n")
if (ending === "exit") process.exit(7)
if (ending === "throw") throw new Error("planted")
if (ending === "throw-later" || ending === "survive") {
  setTimeout(() => {
    throw new Error("planted")
  })
}
if (ending === "reject") void Promise.reject(new Error("planted"))
if (ending === "unsettled") await new Promise(() => {})
if (ending === "wait" || ending === "survive" || ending.startsWith("own-")) setInterval(() => {}, 1000)
