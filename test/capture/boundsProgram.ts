// Run with --expose-gc: so many calls, a tenth of them approvals that nobody answers, and what is left of them in memory.
// Says one line of JSON: the growth of the heap, in megabytes, after each tenth of the calls, and what toolspan counted.
import { Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import process from "node:process"
import * as Toolspan from "../../src/index.ts"

/** What the program says. */
export interface Report {
  readonly calls: number
  readonly maxOpenCalls: number
  readonly seconds: number
  readonly heapMegabytes: ReadonlyArray<number>
  readonly stats: Toolspan.Stats
}

const callsOfTurn = 10
const tenths = 10

const Lookup = Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.String })
const Wipe = Tool.make("wipe", {
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.String,
  needsApproval: true
})
const kit = Toolkit.make(Lookup, Wipe)
const handlers = kit.toLayer({ lookup: ({ key }) => Effect.succeed(key), wipe: ({ key }) => Effect.succeed(key) })

const usage = { inputTokens: { total: 5 }, outputTokens: { total: 7 } }

let calls = 0

/** Ten calls to who begins, a word to who goes on. */
const parts = ({ prompt }: LanguageModel.ProviderOptions): Array<any> => {
  if (prompt.content.length > 1) return [{ type: "finish", reason: "stop", usage, response: undefined }]
  const made: Array<any> = []
  for (let index = 0; index < callsOfTurn; index++) {
    const name = index === 0 ? "wipe" : "lookup"
    made.push({ type: "tool-call", id: `call_${++calls}`, name, params: { key: `key ${calls}` } })
  }
  made.push({ type: "finish", reason: "tool-calls", usage, response: undefined })
  return made
}

const hooks = Toolspan.provider({
  generateText: (options: LanguageModel.ProviderOptions) => Effect.sync(() => parts(options)),
  streamText: (options: LanguageModel.ProviderOptions) => Stream.fromIterableEffect(Effect.sync(() => parts(options)))
})

/** By turns: left after the approval was asked for, plain or streamed, or gone on with as if nobody had asked. */
const conversation = (model: LanguageModel.LanguageModel, nth: number) => {
  if (nth % 4 === 3) return Stream.runDrain(model.streamText({ prompt: "go", toolkit: kit }))
  const first = model.generateText({ prompt: "go", toolkit: kit })
  if (nth % 2 === 0) return first
  return Effect.flatMap(first, ({ content }) =>
    model.generateText({
      prompt: Prompt.make("go").pipe(
        Prompt.concat(Prompt.fromResponseParts(content)),
        Prompt.concat("Something else, please.")
      ),
      toolkit: kit
    }))
}

const heap = Effect.sync(() => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
})

const program = Effect.fn(function*(total: number, maxOpenCalls: number) {
  const model = Toolspan.languageModel(yield* LanguageModel.make(hooks))
  const some = (count: number) =>
    Effect.forEach(Array.from({ length: count }, (_, nth) => nth), (nth) => conversation(model, nth), { discard: true })
  // Until everything is compiled and every shape is known.
  yield* some(200)
  calls = 0
  const before = yield* heap
  const begun = performance.now()
  const heapMegabytes: Array<number> = []
  for (let tenth = 0; tenth < tenths; tenth++) {
    for (let left = total / tenths / callsOfTurn; left > 0; left -= 100) yield* some(Math.min(100, left))
    heapMegabytes.push(Number(((yield* heap) - before).toFixed(2)))
  }
  const seconds = Number(((performance.now() - begun) / 1000).toFixed(1))
  const report: Report = { calls, maxOpenCalls, seconds, heapMegabytes, stats: yield* Toolspan.stats }
  process.stdout.write(`${JSON.stringify(report)}\n`)
})

const [total = 0, maxOpenCalls = 0] = process.argv.slice(2).map(Number)

await Effect.runPromise(
  program(total, maxOpenCalls).pipe(
    Effect.provide(Layer.merge(handlers, Toolspan.layer({ maxOpenCalls, enabled: true })))
  )
)
