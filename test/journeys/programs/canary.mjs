// A program whose every value is a secret: arguments, results, failures of each kind, denial reasons, names that the
// model invented. The secret is a variable: the SDK itself tells the arguments of the process.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"

const secret = process.env.SECRET

class Refused extends Schema.TaggedError()("Refused", { detail: Schema.String }) {}

const parameters = Schema.Struct({ key: Schema.String })
const tool = (name, failureMode, more = {}) =>
  Tool.make(name, { parameters, success: Schema.String, failure: Schema.Any, failureMode, ...more })

const toolkit = Toolkit.make(
  ...["return", "error"].flatMap((mode) =>
    ["answers", "tagged", "plain", "defect", "wrong"].map((name) => tool(`${name}_${mode}`, mode))
  ),
  tool("wipe", "return", { needsApproval: true })
)

const handlerOf = (name) => ({ key }) => {
  if (name.startsWith("tagged")) return Effect.fail(new Refused({ detail: key }))
  if (name.startsWith("plain")) return Effect.fail(new Error(`plain ${key}`))
  if (name.startsWith("defect")) return Effect.die(new Error(`defect ${key}`))
  if (name.startsWith("wrong")) return Effect.succeed({ not: key })
  return Effect.succeed(`result ${key}`)
}
const handlers = toolkit.toLayer(
  Object.fromEntries(Object.keys(toolkit.tools).map((name) => [name, handlerOf(name)]))
)

const finish = {
  type: "finish",
  reason: "tool-calls",
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
}

let calls = 0
const call = (name, params = { key: secret }) => ({ type: "tool-call", id: `call_${++calls}`, name, params })

const model = (answer) =>
  LanguageModel.make({
    generateText: () => Effect.sync(() => structuredClone(answer)),
    streamText: () => Stream.suspend(() => Stream.fromIterable(structuredClone(answer)))
  })

let failures = 0
const turn = (mode, prompt, answer) =>
  Effect.gen(function*() {
    const exit = yield* Effect.exit(
      mode === "streamText"
        ? Effect.map(Stream.runCollect(LanguageModel.streamText({ prompt, toolkit })), (parts) => Array.from(parts))
        : Effect.map(LanguageModel.generateText({ prompt, toolkit }), (response) => response.content)
    )
    if (exit._tag === "Success") return exit.value
    failures++
    return []
  }).pipe(Effect.provideServiceEffect(LanguageModel.LanguageModel, model(answer)), Effect.provide(handlers))

const all = Effect.gen(function*() {
  for (const mode of ["generateText", "streamText"]) {
    for (const name of Object.keys(toolkit.tools)) {
      if (name === "wipe") continue
      const parts = yield* turn(mode, `ask ${secret}`, [call(name), finish])
      yield* turn(mode, Prompt.concat(Prompt.make("go"), Prompt.fromResponseParts(parts)), [finish])
    }
    yield* turn(mode, "go", [call("answers_return", { wrong: secret }), finish])
    yield* turn(mode, "go", [call("answers_error", secret), finish])
    yield* turn(mode, "go", [call("no_such_tool"), finish])
    const asked = yield* turn(mode, "go", [call("wipe"), finish])
    const request = asked.find((part) => part.type === "tool-approval-request")
    const answer = Prompt.toolMessage({
      content: [Prompt.toolApprovalResponsePart({ approvalId: request.approvalId, approved: false, reason: secret })]
    })
    const history = Prompt.concat(Prompt.make("go"), Prompt.fromResponseParts(asked))
    yield* turn(mode, Prompt.concat(history, Prompt.fromMessages([answer])), [finish])
  }
  const withHandlers = yield* toolkit
  for (const name of [...Object.keys(toolkit.tools), "no_such_tool"]) {
    if (name === "wipe") continue
    const results = yield* Effect.exit(Effect.flatMap(withHandlers.handle(name, { key: secret }), Stream.runCollect))
    if (results._tag === "Failure") failures++
  }
}).pipe(Effect.provide(handlers), Effect.withSpan("app"))

await Effect.runPromise(all)
process.stdout.write(`${calls} calls, ${failures} failures\n`)
