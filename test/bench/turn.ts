// The work that is measured: a turn of a mock model with so many calls of one tool, plain or streamed.
import { Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import * as Toolspan from "../../src/index.ts"

const Lookup = Tool.make("lookup", {
  description: "Looks a key up",
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.String
})
const kit = Toolkit.make(Lookup)
const handlers = kit.toLayer({ lookup: ({ key }) => Effect.succeed(`lookup:${key}`) })

const usage = { inputTokens: { total: 5 }, outputTokens: { total: 7 } }

let run = 0

const parts = (calls: number): Array<any> => {
  run++
  const made: Array<any> = []
  for (let index = 0; index < calls; index++) {
    made.push({ type: "tool-call", id: `call_${run}_${index}`, name: "lookup", params: { key: `k${index}` } })
  }
  made.push({ type: "finish", reason: "tool-calls", usage, response: undefined })
  return made
}

const hooks = (calls: number) => ({
  generateText: () => Effect.sync(() => parts(calls)),
  streamText: () => Stream.fromIterableEffect(Effect.sync(() => parts(calls)))
})

/** How many calls a turn has, and how it is asked for. */
export interface Size {
  readonly calls: number
  readonly streamed: boolean
}

/** A turn as a program that needs only its tracer; `told` by toolspan or by nobody. */
export const turn = ({ calls, streamed }: Size, told: boolean): Effect.Effect<unknown> => {
  const make = told
    ? Effect.map(LanguageModel.make(Toolspan.provider(hooks(calls))), Toolspan.languageModel)
    : LanguageModel.make(hooks(calls))
  const model = Effect.runSync(make)
  const context = Effect.runSync(Effect.scoped(Layer.build(handlers)))
  const options = { prompt: "go", toolkit: kit }
  const program: Effect.Effect<unknown, unknown, never> = streamed
    ? Effect.provide(Stream.runDrain(model.streamText(options)), context)
    : Effect.provide(model.generateText(options), context)
  return Effect.orDie(program)
}
