import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import * as Compat from "@effect/ai-openai-compat"
import { Cause, Effect, Exit, Layer, Redacted, Schema, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/unstable/ai"
import { FetchHttpClient } from "effect/unstable/http"
import { assert, describe, it } from "vitest"
import { text, toolCall } from "../../../examples/replay/answer.ts"
import { type Replay, replay, type ReplayOptions } from "../../../examples/replay/server.ts"

// The real provider packages, over HTTP, are the judges of what the replay server says.

const Lookup = Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.String })
const Note = Tool.make("note", { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String })
const toolkit = Toolkit.make(Lookup, Note)
const handlers = toolkit.toLayer({
  lookup: ({ key }) => Effect.succeed(`lookup:${key}`),
  note: ({ text }) => Effect.succeed(`note:${text}`)
})

type Model = Layer.Layer<LanguageModel.LanguageModel>

const apiKey = Redacted.make("none")

const anthropic = (url: string): Model =>
  AnthropicLanguageModel.layer({ model: "claude-x" }).pipe(
    Layer.provide(AnthropicClient.layer({ apiKey, apiUrl: url })),
    Layer.provide(FetchHttpClient.layer)
  )

const openai = (url: string): Model =>
  OpenAiLanguageModel.layer({ model: "gpt-x" }).pipe(
    Layer.provide(OpenAiClient.layer({ apiKey, apiUrl: `${url}/v1` })),
    Layer.provide(FetchHttpClient.layer)
  )

const compat = (url: string): Model =>
  Compat.OpenAiLanguageModel.layer({ model: "compat-1" }).pipe(
    Layer.provide(Compat.OpenAiClient.layer({ apiKey, apiUrl: `${url}/v1` })),
    Layer.provide(FetchHttpClient.layer)
  )

const options = { prompt: "go", toolkit }

type Parts = ReadonlyArray<{ readonly type: string }>

const generate = (model: Model): Effect.Effect<Parts, unknown> =>
  LanguageModel.generateText(options).pipe(
    Effect.provide([handlers, model]),
    Effect.map((response) => response.content)
  )

const stream = (model: Model): Effect.Effect<Parts, unknown> =>
  LanguageModel.streamText(options).pipe(Stream.runCollect, Effect.provide([handlers, model]))

const withReplay = async <A>(options: ReplayOptions, run: (server: Replay) => Promise<A>): Promise<A> => {
  await using server = await replay(options)
  return await run(server)
}

/** What a turn came to, the same for one body and for a stream. */
const summary = (parts: Parts) => {
  const all = parts as ReadonlyArray<Record<string, any>>
  const of = (type: string) => all.filter((part) => part["type"] === type)
  return {
    text: [...of("text").map((part) => part["text"]), ...of("text-delta").map((part) => part["delta"])].join(""),
    calls: of("tool-call").map(({ id, name, params }) => ({ id, name, params })),
    results: of("tool-result").map(({ id, result }) => ({ id, result })),
    finish: of("finish").map(({ reason, usage }) => ({
      reason,
      input: usage.inputTokens.total,
      output: usage.outputTokens.total
    })),
    ids: of("response-metadata").map(({ id, modelId }) => ({ id, modelId }))
  }
}

const providers = [
  { name: "anthropic", layer: anthropic, model: "claude-x", path: "/v1/messages" },
  { name: "openai", layer: openai, model: "gpt-x", path: "/v1/responses" },
  { name: "openai-compat", layer: compat, model: "compat-1", path: "/v1/chat/completions" }
] as const

const answer = {
  id: "response_1",
  usage: { input: 120, output: 34 },
  parts: [
    text("I look both of them up, one moment please."),
    toolCall("call_a", "lookup", { key: "a value that is longer than one fragment" }),
    toolCall("call_b", "note", { text: "ünïcode 🌤" })
  ]
}

describe.each(providers)("the real $name client", ({ layer, model, path }) => {
  describe.each([["plain", generate], ["streamed", stream]] as const)("%s", (kind, run) => {
    it("reads text, parallel tool calls, finish reason, usage and response id", async () => {
      const { parts, requests } = await withReplay({ script: [answer] }, async (server) => ({
        parts: await Effect.runPromise(run(layer(server.url))),
        requests: server.requests
      }))
      assert.deepEqual(summary(parts), {
        text: "I look both of them up, one moment please.",
        calls: [
          { id: "call_a", name: "lookup", params: { key: "a value that is longer than one fragment" } },
          { id: "call_b", name: "note", params: { text: "ünïcode 🌤" } }
        ],
        results: [
          { id: "call_a", result: "lookup:a value that is longer than one fragment" },
          { id: "call_b", result: "note:ünïcode 🌤" }
        ],
        finish: [{ reason: "tool-calls", input: 120, output: 34 }],
        ids: [{ id: "response_1", modelId: model }]
      })
      assert.deepEqual(requests.map(({ path, stream }) => ({ path, stream })), [{ path, stream: kind === "streamed" }])
    })

    it("reads a text alone", async () => {
      const parts = await withReplay(
        { script: [{ parts: [text("Done.")] }] },
        (server) => Effect.runPromise(run(layer(server.url)))
      )
      assert.strictEqual(summary(parts).text, "Done.")
      assert.deepEqual(summary(parts).finish, [{ reason: "stop", input: 20, output: 10 }])
    })

    it("tells a rate limit with its time from an overload", async () => {
      const fail = (step: ReplayOptions["script"]) =>
        withReplay({ script: step }, async (server) => {
          const exit = await Effect.runPromiseExit(run(layer(server.url)))
          const error: any = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
          return error?.reason
        })
      const limited = await fail([{ refuse: 429, retryAfter: 2 }])
      assert.strictEqual(limited?._tag, "RateLimitError")
      const overloaded = await fail([{ refuse: 529 }])
      assert.isDefined(overloaded?._tag)
      assert.notStrictEqual(overloaded._tag, "RateLimitError")
    })

    it("waits for a slow answer", async () => {
      const parts = await withReplay(
        { script: [answer], fault: { type: "slow", before: 30, between: 10 } },
        (server) => Effect.runPromise(run(layer(server.url)))
      )
      assert.lengthOf(summary(parts).calls, 2)
    })

    it("fails when the connection is cut, and calls no second time", async () => {
      const { exit, requests } = await withReplay(
        { script: [answer], fault: { type: "cut", after: 4 } },
        async (server) => ({ exit: await Effect.runPromiseExit(run(layer(server.url))), requests: server.requests })
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.lengthOf(requests, 1)
    })
  })

  it("fails on a body that is no JSON", async () => {
    const exit = await withReplay(
      { script: [answer], fault: { type: "malformed", at: 0 } },
      (server) => Effect.runPromiseExit(generate(layer(server.url)))
    )
    assert.isTrue(Exit.isFailure(exit))
  })
})

it.each(providers.slice(0, 2))("the real $name client fails on an event that is no JSON", async ({ layer }) => {
  const exit = await withReplay(
    { script: [answer], fault: { type: "malformed", at: 3 } },
    (server) => Effect.runPromiseExit(stream(layer(server.url)))
  )
  assert.isTrue(Exit.isFailure(exit))
})

it("the real openai-compat client leaves an event that is no JSON out", async () => {
  const parts = await withReplay(
    { script: [{ parts: [text("0123456789abcdef0123456789")] }], fault: { type: "malformed", at: 1 } },
    (server) => Effect.runPromise(stream(compat(server.url)))
  )
  assert.strictEqual(summary(parts).text, "0123456789")
})
