import { Effect, Stream } from "effect"
import { LanguageModel } from "effect/unstable/ai"
import { assert, describe, expect, it } from "vitest"
import { text, toolCall } from "../../../examples/replay/answer.ts"
import type { ReplayOptions } from "../../../examples/replay/server.ts"
import { chats, isSound, models, toolkit, traced, tree } from "./trace.ts"

const providers = ["anthropic", "openai", "openai-compat"] as const

const generate = (name: typeof providers[number], options: ReplayOptions) =>
  traced(
    options,
    (url) => LanguageModel.generateText({ prompt: "go", toolkit }).pipe(Effect.provide(models[name](url)))
  )

const stream = (name: typeof providers[number], options: ReplayOptions) =>
  traced(
    options,
    (url) =>
      LanguageModel.streamText({ prompt: "go", toolkit }).pipe(Stream.runDrain, Effect.provide(models[name](url)))
  )

const answer = {
  id: "response_1",
  usage: { input: 120, output: 34 },
  parts: [
    text("One moment."),
    toolCall("call_a", "lookup", { key: "a value that is longer than one fragment" }),
    toolCall("call_b", "note", { text: "ünïcode 🌤" })
  ]
}

describe.each(providers)("a turn over the instrumented client of %s", (name) => {
  it("is one chat span, with the decisions of the wire under it", async () => {
    const run = await generate(name, { script: [answer] })
    assert.isTrue(isSound(run))
    expect(tree(run.spans)).toMatchSnapshot()
  })

  it("streamed, is the same with fragments", async () => {
    const run = await stream(name, { script: [answer] })
    assert.isTrue(isSound(run))
    expect(tree(run.spans)).toMatchSnapshot()
  })

  it("that is refused has a chat span with the reason", async () => {
    for (const [refuse, reason] of [[429, "RateLimitError"], [529, undefined]] as const) {
      const run = await generate(name, { script: [{ refuse }] })
      assert.isTrue(isSound(run))
      const [chat, ...more] = chats(run.spans)
      assert.lengthOf(more, 0)
      assert.isString(chat?.["error.type"])
      if (reason !== undefined) assert.strictEqual(chat?.["error.type"], reason)
      assert.strictEqual(chat?.["toolspan.tool_calls.decided"], 0)
      assert.isUndefined(chat?.["gen_ai.response.finish_reasons"])
    }
  })

  it("that the app tries again has a chat span for each try", async () => {
    const run = await traced(
      { script: [{ refuse: 429 }, answer] },
      (url) =>
        LanguageModel.generateText({ prompt: "go", toolkit }).pipe(
          Effect.retry({ times: 1 }),
          Effect.provide(models[name](url))
        )
    )
    assert.isTrue(isSound(run))
    assert.strictEqual(run.exit._tag, "Success")
    assert.deepEqual(
      chats(run.spans).map((chat) => [chat["error.type"], chat["toolspan.tool_calls.decided"]]),
      [["RateLimitError", 0], [undefined, 2]]
    )
  })

  it("whose stream dies has finish reason error, and calls that are not whole", async () => {
    const run = await stream(name, { script: [answer], fault: { type: "cut", after: name === "anthropic" ? 7 : 6 } })
    assert.isTrue(isSound(run))
    const [chat] = chats(run.spans)
    assert.deepEqual(chat?.["gen_ai.response.finish_reasons"], ["error"])
    assert.isString(chat?.["error.type"])
    const calls = run.spans.filter((span) => span.name.startsWith("tool_call"))
    assert.strictEqual(chat?.["toolspan.tool_calls.decided"], calls.length)
    for (const call of calls) {
      assert.isTrue(call.attributes.get("toolspan.call.incomplete"))
      assert.strictEqual(call.status._tag === "Ended" && call.status.exit._tag, "Success")
    }
  })

  it("that the consumer leaves early ends every span", async () => {
    const run = await traced(
      { script: [answer], gap: 5 },
      (url) =>
        LanguageModel.streamText({ prompt: "go", toolkit }).pipe(
          Stream.take(2),
          Stream.runDrain,
          Effect.provide(models[name](url))
        )
    )
    assert.isTrue(isSound(run))
    assert.isUndefined(chats(run.spans)[0]?.["error.type"])
  })
})

describe("a call without an id, where no hook shows the id that the host makes up", () => {
  it.each(["body", "events"] as const)("is one call all the same, from %s", async (form) => {
    const call = { type: "function", function: { name: "lookup", arguments: "{\"key\":\"alpha\"}" } }
    const completion = (choice: object) => ({
      id: "cmpl_1",
      created: 1,
      model: "compat-1",
      choices: [{ index: 0, ...choice }]
    })
    const step = form === "body"
      ? {
        body: completion({
          finish_reason: "tool_calls",
          message: { role: "assistant", content: null, tool_calls: [call] }
        })
      }
      : { events: [completion({ delta: { tool_calls: [call] }, finish_reason: "tool_calls" }), "[DONE]"] }
    const run = await (form === "body" ? generate : stream)("openai-compat", { script: [step] })
    assert.isTrue(isSound(run))
    expect(tree(run.spans)).toMatchSnapshot()
  })
})
