import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { Config, Console, Effect, Layer, Schema } from "effect"
import { Prompt } from "effect/unstable/ai"
import { FetchHttpClient } from "effect/unstable/http"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AssistantLive } from "./tools.ts"
import * as Turn from "./turn.ts"

const question = "Can I have lunch with Ada in the park on Thursday? If so, send an invitation to ada@example.com."

const opening = Prompt.make([
  {
    role: "system",
    content: "You are an assistant. It is Tuesday and we are in Lisbon. Look up calendar and weather before you answer."
  },
  { role: "user", content: [{ type: "text", text: question }] }
])

const History = Schema.fromJsonString(Prompt.Prompt)

const tell = Effect.fn(function*(turn: Turn.Turn) {
  for (const { id, name, result } of turn.results) {
    // The result of an approved call comes before anything the model says.
    if (turn.calls.every((call) => call.id !== id)) yield* Console.log(`  < ${name} ${JSON.stringify(result)}`)
  }
  if (turn.text !== "") yield* Console.log(`assistant: ${turn.text}`)
  for (const { id, name, params } of turn.calls) {
    yield* Console.log(`  > ${name} ${JSON.stringify(params)}`)
    for (const result of turn.results.filter((result) => result.id === id)) {
      yield* Console.log(`  < ${name} ${JSON.stringify(result.result)}`)
    }
  }
})

// A model that keeps on calling tools is stopped here.
const maxTurns = 8

/** Lets the model work until it has nothing left to call, or has to wait for a human, and saves the conversation. */
const work = Effect.fn(function*(prompt: Prompt.Prompt, file: string) {
  // Streamed, because that is what a user sees first; and in this version of Effect only streamText gives back the
  // results of calls that were approved.
  let turn = yield* Turn.stream(prompt)
  yield* tell(turn)
  for (let turns = 1; turns < maxTurns && turn.calls.length > 0 && turn.pending === 0; turns++) {
    turn = yield* Turn.generate(turn.history)
    yield* tell(turn)
  }
  const json = yield* Schema.encodeEffect(History)(turn.history)
  yield* Effect.promise(() => writeFile(file, json))
  return turn.pending > 0
})

const ask = Effect.fn("assistant.ask")(function*(file: string) {
  yield* Console.log(`user: ${question}`)
  return yield* work(opening, file)
})

/** Later: the conversation is read again, the human says yes to everything that waits, and the model goes on. */
const approve = Effect.fn("assistant.approve")(function*(file: string) {
  const json = yield* Effect.promise(() => readFile(file, "utf8"))
  const history = yield* Schema.decodeEffect(History)(json)
  const parts = history.content.flatMap((message) => typeof message.content === "string" ? [] : [...message.content])
  const answered = parts.filter((part) => part.type === "tool-approval-response").map((part) => part.approvalId)
  const waiting = parts.filter((part) => part.type === "tool-approval-request")
    .filter((part) => !answered.includes(part.approvalId))
  yield* Console.log("human: approved")
  const answer = Prompt.makeMessage("tool", {
    content: waiting.map(({ approvalId }) => Prompt.toolApprovalResponsePart({ approvalId, approved: true }))
  })
  return yield* work(Prompt.concat(history, Prompt.fromMessages([answer])), file)
})

const conversation = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "assistant-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  )
  const file = join(folder, "history.json")
  let isWaiting = yield* ask(file)
  for (let approvals = 0; isWaiting && approvals < maxTurns; approvals++) {
    yield* Console.log("(the conversation is saved; the human thinks about it)")
    yield* Effect.sleep("1 second")
    isWaiting = yield* approve(file)
  }
})

const Model = Layer.unwrap(Effect.gen(function*() {
  const model = yield* Config.string("ANTHROPIC_MODEL").pipe(Config.withDefault("claude-haiku-4-5"))
  return AnthropicLanguageModel.layer({ model, config: { max_tokens: 1024 } })
})).pipe(
  Layer.provide(AnthropicClient.layerConfig({
    apiKey: Config.redacted("ANTHROPIC_API_KEY"),
    apiUrl: Config.string("ANTHROPIC_BASE_URL").pipe(Config.withDefault("https://api.anthropic.com"))
  })),
  Layer.provide(FetchHttpClient.layer)
)

void Effect.runPromise(conversation.pipe(Effect.scoped, Effect.provide([AssistantLive, Model])))
