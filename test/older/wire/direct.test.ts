import { AnthropicClient } from "@effect/ai-anthropic"
import { OpenAiClient } from "@effect/ai-openai"
import * as Compat from "@effect/ai-openai-compat"
import { Effect, Stream } from "effect"
import { LanguageModel } from "effect/unstable/ai"
import * as Toolspan from "toolspan"
import { assert, describe, expect, it } from "vitest"
import { text, toolCall } from "../../../examples/replay/answer.ts"
import { anthropicClient, chats, compatClient, isSound, openaiClient, traced, tree } from "./trace.ts"

// A client that an app calls itself, without a LanguageModel.

const answer = {
  id: "response_1",
  usage: { input: 120, output: 34 },
  parts: [text("One moment."), toolCall("call_a", "lookup", { key: "alpha" })]
}

const parameters = { type: "object", properties: { key: { type: "string" } } } as const

const message = {
  payload: {
    model: "claude-x",
    max_tokens: 64,
    messages: [{ role: "user" as const, content: "go" }],
    tools: [{ name: "lookup", input_schema: parameters }]
  }
}

const completion = {
  model: "compat-1",
  messages: [{ role: "user" as const, content: "go" }],
  tools: [{ type: "function" as const, function: { name: "lookup", parameters } }]
}

const response = {
  model: "gpt-x",
  input: "go",
  tools: [{ type: "function" as const, name: "lookup", parameters, strict: false }]
}

const drain = <A, E>(answer: readonly [unknown, Stream.Stream<A, E>]) => Stream.runCollect(answer[1])

const clients = [
  {
    name: "anthropic",
    plain: (url: string) =>
      AnthropicClient.AnthropicClient.use((client) => client.createMessage(message)).pipe(
        Effect.map(([body]): unknown => body),
        Effect.provide(anthropicClient(url))
      ),
    streamed: (url: string) =>
      AnthropicClient.AnthropicClient.use((client) => client.createMessageStream(message)).pipe(
        Effect.flatMap((answer): Effect.Effect<ReadonlyArray<unknown>, unknown> => drain(answer)),
        Effect.provide(anthropicClient(url))
      )
  },
  {
    name: "openai",
    plain: (url: string) =>
      OpenAiClient.OpenAiClient.use((client) => client.createResponse(response)).pipe(
        Effect.map(([body]): unknown => body),
        Effect.provide(openaiClient(url))
      ),
    streamed: (url: string) =>
      OpenAiClient.OpenAiClient.use((client) => client.createResponseStream(response)).pipe(
        Effect.flatMap((answer): Effect.Effect<ReadonlyArray<unknown>, unknown> => drain(answer)),
        Effect.provide(openaiClient(url))
      )
  },
  {
    name: "openai-compat",
    plain: (url: string) =>
      Compat.OpenAiClient.OpenAiClient.use((client) => client.createResponse(completion)).pipe(
        Effect.map(([body]): unknown => body),
        Effect.provide(compatClient(url))
      ),
    streamed: (url: string) =>
      Compat.OpenAiClient.OpenAiClient.use((client) => client.createResponseStream(completion)).pipe(
        Effect.flatMap((answer): Effect.Effect<ReadonlyArray<unknown>, unknown> => drain(answer)),
        Effect.provide(compatClient(url))
      )
  }
]

describe.each(clients)("the client of $name by itself", ({ name, plain, streamed }) => {
  it("has a chat span under the app's span", async () => {
    const run = await traced({ script: [answer] }, plain)
    assert.isTrue(isSound(run))
    assert.strictEqual(run.exit._tag, "Success")
    expect(tree(run.spans)).toMatchSnapshot()
  })

  it("streamed, has the same, with the time to the first chunk", async () => {
    const run = await traced({ script: [answer] }, streamed)
    assert.isTrue(isSound(run))
    assert.strictEqual(run.exit._tag, "Success")
    expect(tree(run.spans)).toMatchSnapshot()
  })

  it("has a chat span for each try, and the app's error stays what it is", async () => {
    const run = await traced(
      { script: [{ refuse: 529 }, { refuse: 429 }, answer] },
      (url) => plain(url).pipe(Effect.retry({ times: 2 }))
    )
    assert.isTrue(isSound(run))
    assert.strictEqual(run.exit._tag, "Success")
    assert.lengthOf(run.requests, 3)
    const errors = chats(run.spans).map((chat) => chat["error.type"])
    assert.lengthOf(errors, 3)
    assert.isString(errors[0])
    assert.strictEqual(errors[1], "RateLimitError")
    assert.isUndefined(errors[2])
  })

  it("whose stream is cut fails as before, with an unfinished call", async () => {
    const run = await traced(
      { script: [answer], fault: { type: "cut", after: name === "openai-compat" ? 3 : 6 } },
      streamed
    )
    assert.isTrue(isSound(run))
    assert.strictEqual(run.exit._tag, "Failure")
    const [chat] = chats(run.spans)
    assert.isString(chat?.["error.type"])
    assert.deepEqual(chat?.["gen_ai.response.finish_reasons"], ["error"])
    const calls = run.spans.filter((span) => span.name.startsWith("tool_call"))
    assert.strictEqual(chat?.["toolspan.tool_calls.decided"], calls.length)
  })
})

describe("a tool that the request does not offer", () => {
  it("is unknown, and its name is an attribute only", async () => {
    const run = await traced({ script: [{ parts: [toolCall("call_x", "invented", {})] }] }, clients[0]!.plain)
    assert.isTrue(isSound(run))
    const call = run.spans.find((span) => span.name.startsWith("tool_call"))
    assert.strictEqual(call?.name, "tool_call _unknown")
    assert.strictEqual(call?.attributes.get("toolspan.tool.requested_name"), "invented")
    assert.deepEqual(chats(run.spans)[0]?.["toolspan.violation.kinds"], ["unknown_tool"])
  })
})

describe("a history with a fault, sent by the app itself", () => {
  it("is told with scope wire, and the second call of an id is numbered after the first", async () => {
    const orphan = { type: "tool_result" as const, tool_use_id: "toolu_gone", content: "v" }
    const asked = { type: "tool_use" as const, id: "call_a", name: "lookup", input: {} }
    const answered = { type: "tool_result" as const, tool_use_id: "call_a", content: "v" }
    const run = await traced(
      { script: [answer] },
      (url) =>
        AnthropicClient.AnthropicClient.use((client) =>
          client.createMessage({
            payload: {
              ...message.payload,
              messages: [
                { role: "user", content: "go" },
                { role: "assistant", content: [asked] },
                { role: "user", content: [answered, orphan] }
              ]
            }
          })
        ).pipe(Effect.provide(anthropicClient(url)))
    )
    assert.isTrue(isSound(run))
    const chat = run.spans.find((span) => span.name.startsWith("chat"))
    assert.deepEqual(
      chat?.events.map(([, , attributes]) => [
        attributes["toolspan.violation.kind"],
        attributes["toolspan.violation.scope"],
        attributes["toolspan.call.key"]
      ]),
      [["orphan_result", "wire", "toolu_gone"], ["duplicate_id", "conversation", "call_a#2"]]
    )
    const call = run.spans.find((span) => span.name.startsWith("tool_call"))
    assert.strictEqual(call?.attributes.get("toolspan.call.key"), "call_a#2")
  })
})

describe("Anthropic's generated client", () => {
  it("is told when the app calls it, and once when the service calls it", async () => {
    const run = await traced(
      { script: [answer, answer] },
      (url) =>
        AnthropicClient.AnthropicClient.use((client) =>
          Effect.andThen(client.client.betaMessagesPost(message), client.createMessage(message))
        ).pipe(Effect.provide(anthropicClient(url)))
    )
    assert.isTrue(isSound(run))
    assert.deepEqual(
      chats(run.spans).map((chat) => [chat["gen_ai.usage.input_tokens"], chat["toolspan.tool_calls.decided"]]),
      [[120, 1], [120, 1]]
    )
  })
})

describe("a client made of another client", () => {
  it("is one request", async () => {
    const run = await traced(
      { script: [answer] },
      (url) =>
        AnthropicClient.AnthropicClient.use((client) =>
          Toolspan.client({ ...client, createMessage: client.createMessage }).createMessage(message)
        ).pipe(Effect.provide(anthropicClient(url)))
    )
    assert.isTrue(isSound(run))
    assert.lengthOf(chats(run.spans), 1)
  })
})

describe("a provider hook that tries its client again", () => {
  it("has a chat span for each request, and only the last one decides", async () => {
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
    const hooks = (client: typeof AnthropicClient.AnthropicClient.Service) =>
      Toolspan.provider({
        generateText: () =>
          client.createMessage(message).pipe(
            Effect.retry({ times: 1 }),
            Effect.map(([{ content }]) => [
              ...content.flatMap((block) =>
                block.type === "tool_use"
                  ? [{ type: "tool-call" as const, id: block.id, name: block.name, params: block.input as never }]
                  : []
              ),
              { type: "finish" as const, reason: "tool-calls" as const, usage, response: undefined }
            ])
          ),
        streamText: () => Stream.empty
      })
    const run = await traced(
      { script: [{ refuse: 529 }, answer] },
      (url) =>
        AnthropicClient.AnthropicClient.use((client) => LanguageModel.make(hooks(client) as never)).pipe(
          Effect.map(Toolspan.languageModel),
          Effect.flatMap((model) => model.generateText({ prompt: "go" })),
          Effect.provide(anthropicClient(url))
        )
    )
    assert.isTrue(isSound(run))
    assert.lengthOf(run.requests, 2)
    const [first, second, ...more] = chats(run.spans)
    assert.lengthOf(more, 0)
    assert.isString(first?.["error.type"])
    assert.strictEqual(first?.["toolspan.tool_calls.decided"], 0)
    assert.isUndefined(second?.["error.type"])
    assert.strictEqual(second?.["toolspan.tool_calls.decided"], 1)
    assert.strictEqual(second?.["gen_ai.usage.input_tokens"], 120)
  })
})

describe("an app that gives up", () => {
  it("ends the chat span without an error, before the answer and in the middle of it", async () => {
    for (const streamed of [false, true]) {
      const client = clients[0]!
      const run = await traced(
        { script: [answer], fault: { type: "slow", before: 20, between: 200 } },
        (url) =>
          (streamed ? client.streamed(url) : client.plain(url)).pipe(
            Effect.timeoutOption(100),
            Effect.asVoid
          )
      )
      assert.isTrue(isSound(run))
      const [chat, ...more] = chats(run.spans)
      assert.lengthOf(more, 0)
      assert.isUndefined(chat?.["error.type"])
      assert.isUndefined(chat?.["gen_ai.response.finish_reasons"])
    }
  })
})
