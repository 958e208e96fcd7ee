// A program that makes a turn with one call, says what it was given, and ends with the exit code that it was given.
import "../../../src/auto.ts"
import process from "node:process"

const { Effect, Schema, Stream } = await import("effect")
const { LanguageModel, Tool, Toolkit } = await import("effect/ai")

const kit = Toolkit.make(Tool.make("lookup", { success: Schema.String }))
const model = LanguageModel.make({
  generateText: () => Effect.succeed([{ type: "tool-call", id: "call_1", name: "lookup", params: {} }]),
  streamText: () => Stream.empty
})

await Effect.runPromise(
  LanguageModel.generateText({ prompt: "go", toolkit: kit }).pipe(
    Effect.provideServiceEffect(LanguageModel.LanguageModel, model),
    Effect.provide(kit.toLayer({ lookup: () => Effect.succeed("found") }))
  )
)
process.stdout.write(`out: ${process.argv[2]}\n`)
process.stderr.write(`err: ${process.argv[2]}\n`)
process.exitCode = Number(process.argv[3])
