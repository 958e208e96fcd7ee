// The work that is measured: a turn of a mock model, plain or streamed, that decides so many calls of one tool and runs
// them; in a run of two turns the second carries their results and is answered by a text.
import { Effect, Layer, Schema, Stream } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
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

const parts = (calls: number, prompt: Prompt.Prompt): Array<any> => {
  if (prompt.content.at(-1)?.role === "tool") {
    return [{ type: "text", text: "done" }, { type: "finish", reason: "stop", usage, response: undefined }]
  }
  run++
  const made: Array<any> = []
  for (let index = 0; index < calls; index++) {
    made.push({ type: "tool-call", id: `call_${run}_${index}`, name: "lookup", params: { key: `k${index}` } })
  }
  made.push({ type: "finish", reason: "tool-calls", usage, response: undefined })
  return made
}

const hooks = (calls: number) => ({
  generateText: ({ prompt }: LanguageModel.ProviderOptions) => Effect.sync(() => parts(calls, prompt)),
  streamText: ({ prompt }: LanguageModel.ProviderOptions) =>
    Stream.fromIterableEffect(Effect.sync(() =>
      parts(calls, prompt).flatMap((part) =>
        part.type === "text"
          ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: part.text }, {
            type: "text-end",
            id: "t"
          }]
          : [part]
      )
    ))
})

/** How many calls a turn has, and how it is asked for. */
export interface Size {
  readonly calls: number
  readonly streamed: boolean
  /** Two turns are a whole run of an agent, for the peer that knows no turn by itself. */
  readonly turns: 1 | 2
  /** Whether a span of the app stands around it, as that of the request which the turn serves. */
  readonly app: boolean
}

/** A run as a program that needs only its tracer; `told` by toolspan or by nobody. */
export const turn = ({ app, calls, streamed, turns }: Size, told: boolean): Effect.Effect<unknown> => {
  const make = told
    ? Effect.map(LanguageModel.make(Toolspan.provider(hooks(calls))), Toolspan.languageModel)
    : LanguageModel.make(hooks(calls))
  const model = Effect.runSync(make)
  const context = Effect.runSync(Effect.scoped(Layer.build(handlers)))
  const started = Prompt.make("go")
  const answer = (prompt: Prompt.Prompt): Effect.Effect<ReadonlyArray<any>, unknown, any> =>
    streamed
      ? Stream.runCollect(model.streamText({ prompt, toolkit: kit }))
      : Effect.map(model.generateText({ prompt, toolkit: kit }), (response) => response.content)
  const program = turns === 1 ? answer(started) : Effect.flatMap(
    answer(started),
    (content) => answer(Prompt.concat(started, Prompt.fromResponseParts(content)))
  )
  return Effect.orDie(Effect.provide(app ? Effect.withSpan(program, "app") : program, context)) as Effect.Effect<
    unknown
  >
}
