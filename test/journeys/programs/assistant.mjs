// An ordinary Effect program: a model that asks for two tools at once, one of which fails, and a turn that carries the
// results. It knows nothing of toolspan. The first argument names how the turns are made.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"

export class NoSeats extends Schema.TaggedError()("NoSeats", { flight: Schema.String }) {}

const Assistant = Toolkit.make(
  Tool.make("get_weather", {
    description: "The weather of a city",
    parameters: Schema.Struct({ city: Schema.String }),
    success: Schema.String
  }),
  Tool.make("book_flight", {
    parameters: Schema.Struct({ flight: Schema.String }),
    success: Schema.String,
    failure: NoSeats,
    failureMode: "return"
  })
)

const answers = [
  [
    { type: "text", text: "Let me look." },
    { type: "tool-call", id: "call_weather", name: "get_weather", params: { city: "Lisbon" } },
    { type: "tool-call", id: "193629320", name: "book_flight", params: { flight: "TP 533" } },
    { type: "finish", reason: "tool-calls", usage: { inputTokens: { total: 50 }, outputTokens: { total: 20 } } }
  ],
  [
    { type: "text", text: "It is sunny, and there is no seat." },
    { type: "finish", reason: "stop", usage: { inputTokens: { total: 90 }, outputTokens: { total: 11 } } }
  ]
]

const streamed = (part) =>
  part.type !== "text"
    ? [part]
    : [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: part.text }, {
      type: "text-end",
      id: "t"
    }]

// As provider packages do: facts of the request stand on the span of the turn.
const answerTo = (options) => {
  options.span.attribute("gen_ai.operation.name", "chat")
  options.span.attribute("gen_ai.system", "bakery")
  options.span.attribute("gen_ai.request.model", "crumb-1")
  return structuredClone(answers[options.prompt.content.some((message) => message.role === "tool") ? 1 : 0])
}

export const makeModel = LanguageModel.make({
  generateText: (options) => Effect.sync(() => answerTo(options)),
  streamText: (options) => Stream.suspend(() => Stream.fromIterable(answerTo(options).flatMap(streamed)))
})

/** Both handlers run at once: each goes on when the other has begun. */
const handlers = Assistant.toLayer(Effect.gen(function*() {
  const began = { weather: yield* Deferred.make(), flight: yield* Deferred.make() }
  return {
    get_weather: ({ city }) =>
      Deferred.succeed(began.weather, undefined).pipe(
        Effect.andThen(Deferred.await(began.flight)),
        Effect.as(`sunny in ${city}`),
        Effect.withSpan("forecast")
      ),
    book_flight: ({ flight }) =>
      Deferred.succeed(began.flight, undefined).pipe(
        Effect.andThen(Deferred.await(began.weather)),
        Effect.andThen(Effect.fail(new NoSeats({ flight })))
      )
  }
}))

const turn = (mode, prompt) =>
  mode === "streamText"
    ? Stream.runCollect(LanguageModel.streamText({ prompt, toolkit: Assistant }))
    : Effect.map(LanguageModel.generateText({ prompt, toolkit: Assistant }), (response) => response.content)

/** Two turns; everything that came of them is printed. */
export const conversation = (mode) =>
  Effect.gen(function*() {
    const question = Prompt.make("What is the weather in Lisbon, and is there a seat?")
    const first = Array.from(yield* turn(mode, question))
    const history = Prompt.concat(question, Prompt.fromResponseParts(first))
    const second = Array.from(yield* turn(mode, history))
    for (const part of [...first, ...second]) process.stdout.write(`${JSON.stringify(part)}\n`)
  }).pipe(
    Effect.withSpan(`conversation ${mode}`),
    Effect.provide(handlers),
    Effect.provideServiceEffect(LanguageModel.LanguageModel, makeModel)
  )

if (process.argv[1] === import.meta.filename) {
  for (const mode of process.argv.slice(2)) await Effect.runPromise(conversation(mode))
  process.stderr.write("That was all.\n")
  process.exitCode = 3
}
