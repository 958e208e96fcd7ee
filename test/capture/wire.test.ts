import * as FastCheck from "fast-check"
import { assert, describe, it } from "vitest"
import { anthropicMessages } from "../../src/capture/anthropicMessages.ts"
import { chatCompletions } from "../../src/capture/chatCompletions.ts"
import { openAiResponses } from "../../src/capture/openAiResponses.ts"
import { ofOpenAiUrl } from "../../src/capture/providerName.ts"
import type { WireFacts, WireProtocol } from "../../src/capture/Wire.ts"
import * as WireArguments from "../../src/capture/wireArguments.ts"
import { maximumCalls } from "../../src/capture/WireCalls.ts"
import type { Encoding } from "./wireAnswer.ts"
import { anthropic, completions, fragmentsOf, responses, wireAnswer } from "./wireAnswer.ts"

const plain = (protocol: WireProtocol, body: unknown): WireFacts => {
  const reader = protocol.reader()
  reader.response(body, 1n)
  return reader.facts()
}

const streamed = (protocol: WireProtocol, events: ReadonlyArray<unknown>): WireFacts => {
  const reader = protocol.reader()
  events.forEach((event, index) => reader.event(event, BigInt(index + 1)))
  return reader.facts()
}

/** What a stream tells besides the response itself is left out. */
const comparable = (facts: WireFacts) => ({
  ...facts,
  calls: facts.calls.map(({ bytes: _bytes, deltas: _deltas, endTime: _end, startTime: _start, ...call }) => call)
})

const wires: ReadonlyArray<readonly [name: string, protocol: WireProtocol, encoding: Encoding]> = [
  ["Anthropic Messages", anthropicMessages, anthropic],
  ["chat completions", chatCompletions, completions],
  ["Responses", openAiResponses, responses]
]

describe.each(wires)("%s", (_name, protocol, encoding) => {
  it("reads the same from a body and from a stream, however it is fragmented", () => {
    FastCheck.assert(FastCheck.property(wireAnswer, (answer) => {
      const whole = plain(protocol, encoding.body(answer))
      const events = streamed(protocol, encoding.events(answer))
      assert.deepEqual(comparable(events), comparable(whole))
      assert.deepEqual(
        whole.calls.map(({ id, name }) => ({ id, name })),
        answer.calls.map(({ id, name }) => ({ id, name }))
      )
      assert.deepEqual(
        whole.calls.map((call) => call.arguments),
        answer.calls.map(({ input }) => input)
      )
      events.calls.forEach((call, index) => {
        const fragments = fragmentsOf(answer.calls[index]!).filter((fragment) => fragment !== "")
        assert.isTrue(call.complete)
        assert.strictEqual(call.deltas, fragments.length)
        assert.isTrue(call.endTime >= call.startTime)
      })
    }))
  })

  it("cut anywhere, tells unfinished calls as not complete and without a verdict on their arguments", () => {
    FastCheck.assert(FastCheck.property(wireAnswer, FastCheck.nat(100), (answer, cut) => {
      const events = encoding.events(answer)
      const facts = streamed(protocol, events.slice(0, cut))
      for (const call of facts.calls) {
        assert.isUndefined(call.fault)
        if (!call.complete) assert.isUndefined(call.arguments)
      }
      assert.isAtMost(facts.calls.length, answer.calls.length)
    }))
  })

  it("keeps a whole call the same object", () => {
    FastCheck.assert(FastCheck.property(wireAnswer, (answer) => {
      const reader = protocol.reader()
      for (const event of encoding.events(answer)) reader.event(event, 1n)
      assert.deepEqual(reader.whole().length, answer.calls.length)
      reader.whole().forEach((call, index) => assert.strictEqual(reader.facts().calls[index], call))
    }))
  })

  it("never throws, whatever comes", () => {
    FastCheck.assert(FastCheck.property(FastCheck.anything(), FastCheck.array(FastCheck.anything()), (body, events) => {
      plain(protocol, body)
      streamed(protocol, events)
    }))
  })
})

const fragment = (call: object, finish_reason: string | null = null) => ({
  id: "c",
  model: "m",
  choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason }]
})

const told = (facts: WireFacts) =>
  facts.calls.map(({ arguments: given, fault, id, name, otherName }) => ({ id, name, otherName, given, fault }))

describe("fragments of chat completions", () => {
  it("of two calls without an index are joined as the provider package does, and the second call is told too", () => {
    const facts = streamed(chatCompletions, [
      fragment({ id: "p1", function: { name: "lookup", arguments: "{\"key\":\"alpha\"}" } }),
      fragment({ id: "p2", function: { name: "add_note", arguments: "{\"text\":" } }),
      fragment({ function: { arguments: "\"beta\"}" } }),
      "[DONE]"
    ])
    assert.deepEqual(told(facts), [
      { id: "p1", name: "lookup", otherName: "add_note", given: undefined, fault: "malformed" },
      { id: "p2", name: "add_note", otherName: undefined, given: { text: "beta" }, fault: undefined }
    ])
  })

  it("under a new id each are one call", () => {
    const facts = streamed(chatCompletions, [
      fragment({ index: 0, id: "a", function: { name: "lookup", arguments: "{\"key\":" } }),
      fragment({ index: 0, id: "b", function: { name: "lookup", arguments: "\"alpha\"" } }),
      fragment({ index: 0, id: "c", function: { arguments: "}" } }, "tool_calls")
    ])
    assert.deepEqual(told(facts), [
      { id: "a", name: "lookup", otherName: undefined, given: { key: "alpha" }, fault: undefined }
    ])
  })

  it("without any text are a call without arguments; an empty text in a body is a fault", () => {
    const empty = { index: 0, id: "a", function: { name: "ping", arguments: "" } }
    assert.deepEqual(streamed(chatCompletions, [fragment(empty, "tool_calls")]).calls[0]?.arguments, {})
    const body = (call: unknown) => ({ choices: [{ index: 0, message: { tool_calls: [call] } }] })
    assert.strictEqual(plain(chatCompletions, body(empty)).calls[0]?.fault, "malformed")
    assert.deepEqual(plain(chatCompletions, body({ id: "a", function: { name: "ping" } })).calls[0]?.arguments, {})
  })
})

describe("bounds", () => {
  it("arguments over 1 MiB are counted, not kept, and get no verdict", () => {
    const piece = "x".repeat(300_000)
    const facts = streamed(chatCompletions, [
      fragment({ index: 0, id: "a", function: { name: "lookup", arguments: "{\"key\":\"" } }),
      ...Array.from({ length: 5 }, () => fragment({ index: 0, function: { arguments: piece } })),
      fragment({ index: 0, function: { arguments: "broken" } }, "tool_calls")
    ])
    const [call] = facts.calls
    assert.strictEqual(call?.bytes, 8 + 5 * 300_000 + 6)
    assert.strictEqual(call?.deltas, 7)
    assert.isUndefined(call?.arguments)
    assert.isUndefined(call?.fault)
    assert.isUndefined(call?.text)
    assert.isTrue(call?.complete)
  })

  it("calls beyond the limit are not followed", () => {
    const facts = streamed(
      chatCompletions,
      Array.from(
        { length: maximumCalls + 5 },
        (_, index) => fragment({ index, id: `c${index}`, function: { name: "ping" } })
      )
    )
    assert.lengthOf(facts.calls, maximumCalls)
  })
})

describe("arguments", () => {
  it("that the host's parser refuses are a fault", () => {
    for (const text of ["{\"__proto__\":{}}", "{\"a\":[{\"constructor\":{\"prototype\":1}}]}", " "]) {
      assert.strictEqual(WireArguments.parse(text, "none").fault, "malformed", text)
    }
    for (const text of ["{\"constructor\":1}", "{\"a\":\"__proto__\"}", "null", "1"]) {
      assert.isUndefined(WireArguments.parse(text, "none").fault, text)
    }
  })

  it("that are cut are told so, with their text", () => {
    assert.deepEqual(WireArguments.parse("{\"key\":\"al", "none"), {
      arguments: undefined,
      fault: "truncated",
      text: "{\"key\":\"al"
    })
  })
})

describe("Responses items", () => {
  const only = (item: unknown) => plain(openAiResponses, { output: [item] }).calls[0]

  it("that run at the provider have their item's id, and no verdict", () => {
    const call = only({ type: "web_search_call", id: "ws_1", status: "completed", action: {} })
    assert.deepInclude(call, {
      id: "ws_1",
      itemId: "ws_1",
      name: "web_search",
      providerExecuted: true,
      bytes: undefined
    })
  })

  it("that ask for approval, and those that had it, have the approval instead of an id", () => {
    assert.deepInclude(only({ type: "mcp_approval_request", id: "mcpr_1", name: "read", arguments: "{}" }), {
      id: undefined,
      approval: { id: "mcpr_1", state: "pending" }
    })
    assert.deepInclude(
      only({ type: "mcp_call", id: "mcp_1", name: "read", arguments: "{}", approval_request_id: "mcpr_1" }),
      { id: undefined, itemId: "mcp_1", approval: { id: "mcpr_1", state: "approved" } }
    )
    assert.deepInclude(only({ type: "mcp_call", id: "mcp_1", name: "read", arguments: "{}" }), {
      id: "mcp_1",
      approval: undefined
    })
  })

  it("of a response that is incomplete or failed, with why", () => {
    const finish = (body: object) => {
      const { failure, finishReasons } = plain(openAiResponses, { output: [], ...body })
      return [finishReasons?.[0], failure]
    }
    assert.deepEqual(finish({ status: "completed" }), ["completed", undefined])
    assert.deepEqual(finish({ incomplete_details: { reason: "max_output_tokens" } }), ["max_output_tokens", undefined])
    assert.deepEqual(finish({ status: "incomplete", incomplete_details: null }), ["incomplete", undefined])
    assert.deepEqual(finish({ error: { code: "server_error", message: "m" } }), ["failed", "server_error"])
    assert.deepEqual(finish({ status: "failed", error: { code: "a b\n", message: "m" } }), ["failed", "_OTHER"])
  })
})

describe("the provider behind an address", () => {
  it("is a known one, else openai", () => {
    const names = [
      ["https://api.openai.com/v1/responses", "openai"],
      ["https://name.openai.azure.com/openai/v1/chat/completions", "azure.ai.openai"],
      ["https://api.groq.com/openai/v1/chat/completions", "groq"],
      ["https://api.x.ai/v1/chat/completions", "x_ai"],
      ["https://max.ai/v1/chat/completions", "openai"],
      ["https://europe-west1-aiplatform.googleapis.com/v1", "gcp.vertex_ai"],
      ["https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", "aws.bedrock"],
      ["https://user:secret@api.deepseek.com:443/v1", "deepseek"],
      ["http://127.0.0.1:1234/v1", "openai"],
      ["/chat/completions", "openai"]
    ] as const
    for (const [url, name] of names) assert.strictEqual(ofOpenAiUrl(url), name, url)
    assert.strictEqual(ofOpenAiUrl(undefined), "openai")
  })
})
