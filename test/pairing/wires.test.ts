import { assert, describe, it } from "@effect/vitest"
import { fromAnthropic } from "../../src/pairing/AnthropicMessages.ts"
import { fromChatCompletions } from "../../src/pairing/ChatCompletions.ts"
import type { Message, Part } from "../../src/pairing/History.ts"
import { fromResponses, leftElsewhere } from "../../src/pairing/ResponsesInput.ts"

const types = (messages: ReadonlyArray<Message>) =>
  messages.map(({ parts, role }) => `${role} ${parts.map(({ type }) => type).join(",")}`)

const partAt = (messages: ReadonlyArray<Message>, message: number, part: number): Part | undefined =>
  messages[message]?.parts[part]

describe("fromAnthropic", () => {
  it("reads calls, results and their server-side kin", () => {
    const messages = fromAnthropic({
      messages: [
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "x" },
            { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } },
            { type: "web_search_tool_result", tool_use_id: "s1", content: { type: "web_search_tool_result_error" } },
            { type: "mcp_tool_use", id: "m1", name: "find", server_name: "s", input: {} },
            { type: "mcp_tool_result", tool_use_id: "m1", is_error: true, content: [] },
            { type: "tool_use", id: "c1", name: "lookup", input: { key: "a" }, caller: { type: "x", tool_id: "s1" } },
            { type: "tool_use", id: "c2", name: "lookup", input: {}, caller: { type: "direct" } }
          ]
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "v", is_error: true }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "c2", content: "v" }, { type: "text", text: "and" }]
        }
      ]
    })
    assert.deepStrictEqual(types(messages), [
      "user ",
      "assistant other,call,result,call,result,call,call",
      "tool result",
      "user result,other"
    ])
    assert.deepInclude(partAt(messages, 1, 1), { id: "s1", name: "web_search", providerExecuted: true })
    assert.deepInclude(partAt(messages, 1, 2), { id: "s1", isFailure: true, providerExecuted: true, name: undefined })
    assert.deepInclude(partAt(messages, 1, 3), { id: "m1", providerExecuted: true })
    assert.deepInclude(partAt(messages, 1, 4), { id: "m1", isFailure: true, providerExecuted: true })
    assert.deepInclude(partAt(messages, 1, 5), {
      id: "c1",
      name: "lookup",
      params: { key: "a" },
      providerExecuted: false,
      caller: "s1"
    })
    assert.isFalse("caller" in partAt(messages, 1, 6)!)
    assert.deepInclude(partAt(messages, 2, 0), { id: "c1", result: "v", isFailure: true, providerExecuted: false })
    assert.deepInclude(partAt(messages, 3, 0), { id: "c2", isFailure: false })
  })

  it("takes a list of messages as it takes a body", () => {
    const list = [{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "x", input: {} }] }]
    assert.deepStrictEqual(fromAnthropic(list), fromAnthropic({ messages: list }))
  })
})

describe("fromChatCompletions", () => {
  it("reads calls by their index and tool messages as results", () => {
    const messages = fromChatCompletions({
      messages: [
        { role: "developer", content: "be brief" },
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: "x",
          tool_calls: [
            { id: "c1", type: "function", function: { name: "lookup", arguments: "{}" } },
            { id: "c2", type: "custom", custom: { name: "sql", input: "select 1" } },
            { id: "c3", type: "function" },
            null
          ]
        },
        { role: "tool", tool_call_id: "c1", content: "v" },
        { role: "tool", content: "w", name: "sql" }
      ]
    })
    assert.deepStrictEqual(types(messages), [
      "system ",
      "user ",
      "assistant call,call,call,other",
      "tool result",
      "tool result"
    ])
    assert.deepInclude(partAt(messages, 2, 0), { id: "c1", name: "lookup", params: "{}", providerExecuted: false })
    assert.deepInclude(partAt(messages, 2, 1), { id: "c2", name: "sql", params: "select 1" })
    assert.deepInclude(partAt(messages, 2, 2), { id: "c3", name: "", params: undefined })
    assert.deepInclude(partAt(messages, 3, 0), { id: "c1", name: undefined, result: "v" })
    assert.deepInclude(partAt(messages, 4, 0), { id: undefined, name: "sql" })
  })

  it("has no calls in an assistant message without tool_calls", () => {
    assert.deepStrictEqual(types(fromChatCompletions([{ role: "assistant", content: "x", tool_calls: [] }])), [
      "assistant "
    ])
  })
})

describe("fromResponses", () => {
  it("joins neighbouring entries of one side, and keeps the index of each", () => {
    const messages = fromResponses({
      input: [
        { role: "developer", content: "be brief" },
        { role: "user", content: "go" },
        { type: "reasoning", id: "rs", summary: [] },
        { type: "function_call", id: "fc_1", call_id: "call_1", name: "lookup", arguments: "{}" },
        { type: "custom_tool_call", call_id: "call_2", name: "sql", input: "select 1" },
        { type: "local_shell_call", id: "ls_1", call_id: "call_3", action: { command: ["ls"] } },
        { type: "function_call_output", id: "fco", call_id: "call_1", output: "v" },
        { type: "custom_tool_call_output", call_id: "call_2", output: "w" },
        { type: "local_shell_call_output", call_id: "call_3", output: "x", status: "failed" },
        { type: "message", role: "assistant", content: "ok" },
        { role: "user", content: "a" },
        { role: "user", content: "b" }
      ]
    })
    assert.deepStrictEqual(types(messages), [
      "system ",
      "user ",
      "assistant call,call,call",
      "tool result,result,result",
      "assistant ",
      "user ",
      "user "
    ])
    assert.deepStrictEqual(messages[2]?.items, [3, 4, 5])
    assert.deepStrictEqual(messages[3]?.items, [6, 7, 8])
    assert.deepInclude(partAt(messages, 2, 0), { id: "call_1", name: "lookup", params: "{}", providerExecuted: false })
    assert.deepInclude(partAt(messages, 2, 1), { id: "call_2", name: "sql", params: "select 1" })
    assert.deepInclude(partAt(messages, 2, 2), { id: "call_3", name: "local_shell", params: { command: ["ls"] } })
    assert.deepInclude(partAt(messages, 3, 0), { id: "call_1", name: undefined, result: "v", isFailure: false })
    assert.deepInclude(partAt(messages, 3, 2), { id: "call_3", isFailure: true })
  })

  it("reads tools that run at the provider as call and result in one", () => {
    const messages = fromResponses([
      { type: "web_search_call", id: "ws_1", status: "completed", action: { query: "q" } },
      { type: "mcp_call", id: "mcp_1", name: "find", arguments: "{}", output: "v", error: null },
      { type: "mcp_call", id: "mcp_2", name: "find", arguments: "{}", error: "no" },
      { type: "code_interpreter_call", id: "ci_1", status: "interpreting" },
      { type: "image_generation_call", id: "ig_1", status: "failed" },
      { type: "file_search_call", status: "completed" }
    ])
    assert.deepStrictEqual(types(messages), ["assistant call,result,call,result,call,result,call,call,result"])
    assert.deepInclude(partAt(messages, 0, 0), {
      id: "ws_1",
      name: "web_search",
      providerExecuted: true,
      params: { query: "q" }
    })
    assert.deepInclude(partAt(messages, 0, 3), { id: "mcp_1", name: "find", result: "v", isFailure: false })
    assert.deepInclude(partAt(messages, 0, 5), { id: "mcp_2", isFailure: true })
    assert.deepInclude(partAt(messages, 0, 8), { id: "ig_1", isFailure: true, name: "image_generation" })
    assert.deepStrictEqual(messages[0]?.items, [0, 0, 1, 1, 2, 2, 3, 4, 4])
  })

  it("reads approvals of remote tools", () => {
    const messages = fromResponses([
      { type: "mcp_approval_request", id: "mcpr_1", name: "find", arguments: "{}" },
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true, reason: "fine" }
    ])
    assert.deepStrictEqual(types(messages), ["assistant call,approval-request", "tool approval-response"])
    assert.deepInclude(partAt(messages, 0, 0), { id: "mcpr_1", name: "find", providerExecuted: true })
    assert.deepInclude(partAt(messages, 0, 1), { approvalId: "mcpr_1", callId: "mcpr_1" })
    assert.deepInclude(partAt(messages, 1, 0), { approvalId: "mcpr_1", approved: true, reason: "fine" })
  })

  it("knows when a part of the history is left at the provider", () => {
    const input = [{ role: "user", content: "go" }]
    assert.deepStrictEqual(leftElsewhere({ input }), { callsElsewhere: false, resultsElsewhere: false })
    assert.deepStrictEqual(leftElsewhere({ input, previous_response_id: null }), {
      callsElsewhere: false,
      resultsElsewhere: false
    })
    assert.deepStrictEqual(leftElsewhere({ input, previous_response_id: "resp_1" }), {
      callsElsewhere: true,
      resultsElsewhere: false
    })
    assert.deepStrictEqual(leftElsewhere({ input, conversation: "conv" }), {
      callsElsewhere: true,
      resultsElsewhere: false
    })
    assert.deepStrictEqual(leftElsewhere([{ type: "item_reference", id: "fc_1" }]), {
      callsElsewhere: true,
      resultsElsewhere: true
    })
  })
})

describe("every reader", () => {
  it("takes any shape without a throw", () => {
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { role: 1 },
      { type: 1 },
      { type: "_call" },
      { type: "_call_output" },
      {
        role: "assistant",
        content: [null, 1, {}, { type: 1 }, { type: "tool_use" }, { type: "tool_result" }],
        tool_calls: [null, 1, { id: {} }]
      },
      { role: "assistant", tool_calls: "x" },
      { role: "tool" },
      { type: "mcp_approval_request" },
      {
        type: "mcp_approval_response"
      },
      { type: "web_search_call" }
    ]
    for (const read of [fromAnthropic, fromChatCompletions, fromResponses]) {
      assert.isAbove(read(odd).length, 0)
      for (const value of [null, undefined, 1, "go", {}, { messages: 1, input: "go" }]) {
        assert.deepStrictEqual(read(value), [])
      }
    }
  })
})
