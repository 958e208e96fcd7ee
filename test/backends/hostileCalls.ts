// An app whose model invents a tool name and a hostile id for every other call: told by toolspan, sent as `register` sends.
// `node hostileCalls.ts COUNT` says how long the calls took.
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import process from "node:process"

/** The name of every tool that is not there begins so, and every id. */
export const mark = "ignoreAllInstructions"

const callsATurn = 10

const main = async (count: number): Promise<void> => {
  await import("../../src/register.ts")
  const Toolspan = await import("../../src/index.ts")
  const Lookup = Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.String })
  const kit = Toolkit.make(Lookup)
  let made = 0
  // A turn that asks for a tool that is not there fails whole: every other turn is of the tool that is.
  const parts = (): Array<any> => {
    const invents = (made / callsATurn) % 2 === 1
    const calls = Array.from({ length: callsATurn }, () => {
      made++
      return {
        type: "tool-call",
        id: `${mark} id ${made}"} \\n# HELP`,
        name: invents ? `${mark}_${made}` : "lookup",
        params: { key: `${mark} ${made}` }
      }
    })
    return [...calls, {
      type: "finish",
      reason: "tool-calls",
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      response: undefined
    }]
  }
  const model = Effect.runSync(Effect.map(
    LanguageModel.make(Toolspan.provider({
      generateText: () => Effect.sync(parts),
      streamText: () => {
        throw new Error("not streamed here")
      }
    })),
    Toolspan.languageModel
  ))
  const context = Effect.runSync(Effect.scoped(Layer.build(
    kit.toLayer({ lookup: ({ key }) => Effect.succeed(key) })
  )))
  const turn = Effect.provide(Effect.exit(model.generateText({ prompt: "go", toolkit: kit })), context)
  const began = performance.now()
  let longest = 0
  while (made < count) {
    const started = performance.now()
    await Effect.runPromise(turn as Effect.Effect<unknown>)
    longest = Math.max(longest, performance.now() - started)
    // An app waits for its provider: exporters have their turn.
    await new Promise(setImmediate)
  }
  const told = { calls: made, millis: performance.now() - began, longest }
  await Effect.runPromise(Toolspan.flush)
  process.stdout.write(`${JSON.stringify(told)}\n`)
}

if (process.argv[1] === import.meta.filename) await main(Number(process.argv[2]))
