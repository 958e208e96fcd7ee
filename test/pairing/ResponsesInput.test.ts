import { assert, describe, it } from "@effect/vitest"
import type { Part } from "../../src/pairing/History.ts"
import { fromResponses, leftElsewhere } from "../../src/pairing/ResponsesInput.ts"

const partsOf = (...input: ReadonlyArray<unknown>): ReadonlyArray<Part> =>
  fromResponses({ input }).flatMap(({ parts }) => parts)

describe("the tools that run at the provider", () => {
  it("carry their own result, unless they still run", () => {
    for (const name of ["web_search", "file_search", "code_interpreter", "image_generation", "mcp"]) {
      const source = { type: `${name}_call`, id: "s1" }
      for (const status of ["in_progress", "searching", "interpreting", "generating", "calling"]) {
        assert.deepStrictEqual(partsOf({ ...source, status }).map(({ type }) => type), ["call"], `${name} ${status}`)
      }
      const [call, result] = partsOf({ ...source, status: "completed", action: { query: "q" } })
      assert.deepInclude(call, { type: "call", id: "s1", name, params: { query: "q" }, providerExecuted: true })
      assert.deepInclude(result, { type: "result", id: "s1", name, isFailure: false, providerExecuted: true })
      assert.deepStrictEqual(partsOf({ type: `${name}_call` }), [])
    }
  })

  it("tell their name, arguments, output and failure in several words", () => {
    const [call, result] = partsOf({ type: "mcp_call", id: "m1", name: "find", arguments: "{}", output: "o" })
    assert.deepInclude(call, { name: "find", params: "{}" })
    assert.deepInclude(result, { name: "find", result: "o", isFailure: false })
    const resultOf = (more: object) => partsOf({ type: "mcp_call", id: "m1", ...more })[1]
    assert.deepInclude(resultOf({ result: "r" }), { result: "r" })
    assert.deepInclude(resultOf({ results: ["r"] }), { result: ["r"] })
    assert.deepInclude(resultOf({ status: "failed" }), { isFailure: true })
    assert.deepInclude(resultOf({ error: "x" }), { isFailure: true })
    assert.deepInclude(resultOf({ error: null }), { isFailure: false })
  })
})

describe("the tools that the program runs", () => {
  it("tell their arguments in the words of their kind", () => {
    const callOf = (entry: object) => partsOf({ call_id: "c1", ...entry })[0]
    assert.deepInclude(callOf({ type: "function_call", name: "lookup", arguments: "{}" }), {
      type: "call",
      id: "c1",
      name: "lookup",
      params: "{}",
      providerExecuted: false
    })
    assert.deepInclude(callOf({ type: "function_call" }), { name: "" })
    assert.deepInclude(callOf({ type: "custom_tool_call", name: "sql", input: "x" }), { name: "sql", params: "x" })
    assert.deepInclude(callOf({ type: "computer_call", action: { x: 1 } }), { name: "computer", params: { x: 1 } })
    assert.deepInclude(callOf({ type: "apply_patch_call", operation: { y: 1 } }), {
      name: "apply_patch",
      params: { y: 1 }
    })
  })

  it("tell the call whose code made them", () => {
    const callOf = (caller: unknown) => partsOf({ type: "function_call", call_id: "c1", name: "x", caller })[0]
    assert.deepInclude(callOf({ type: "program", caller_id: "p1" }), { caller: "p1" })
    assert.deepInclude(callOf({ type: "program", tool_id: "p2" }), { caller: "p2" })
    assert.isFalse("caller" in callOf({ type: "direct" })!)
    assert.isFalse("caller" in callOf(undefined)!)
  })

  it("have their outputs in entries of their own", () => {
    const [result] = partsOf({ type: "function_call_output", call_id: "c1", output: "v" })
    assert.deepInclude(result, {
      type: "result",
      id: "c1",
      name: undefined,
      isFailure: false,
      result: "v",
      providerExecuted: false
    })
    assert.deepInclude(partsOf({ type: "apply_patch_call_output", call_id: "c1", status: "failed" })[0], {
      isFailure: true
    })
  })
})

describe("a provider's own approval", () => {
  it("is a call with its question, and an answer", () => {
    const [call, request] = partsOf({ type: "mcp_approval_request", id: "r1", name: "find", arguments: "{}" })
    assert.deepInclude(call, { type: "call", id: "r1", name: "find", params: "{}", providerExecuted: true })
    assert.deepInclude(request, { type: "approval-request", approvalId: "r1", callId: "r1" })
    const named = partsOf({ type: "mcp_approval_request", id: "r1", approval_request_id: "r2" })
    assert.deepInclude(named[1], { approvalId: "r2", callId: "r2" })
    assert.deepInclude(partsOf({ type: "mcp_approval_request" })[1], { approvalId: "", callId: "" })
    const answerOf = (more: object) => partsOf({ type: "mcp_approval_response", ...more })[0]
    assert.deepInclude(answerOf({ approval_request_id: "r1", approve: true, reason: "ok" }), {
      type: "approval-response",
      approvalId: "r1",
      approved: true,
      reason: "ok"
    })
    assert.deepInclude(answerOf({}), { approvalId: "", approved: false, reason: undefined })
  })
})

describe("the messages of Responses input", () => {
  const rolesOf = (...input: ReadonlyArray<unknown>) =>
    fromResponses(input).map(({ items, role }) => `${role} ${items?.join(",")}`)

  it("join what the model said at once, and the outputs of it, but never two words of a user", () => {
    const call = { type: "function_call", call_id: "c1", name: "x" }
    const output = { type: "function_call_output", call_id: "c1" }
    assert.deepStrictEqual(
      rolesOf(
        { role: "system", content: "s" },
        { type: "message", role: "developer", content: "s" },
        { role: "user", content: "u" },
        { role: "user", content: "u" },
        { type: "reasoning" },
        { role: "assistant", content: "a" },
        call,
        call,
        output,
        { type: "mcp_approval_response" },
        "text",
        null
      ),
      ["system ", "system ", "user ", "user ", "assistant 6,7", "tool 8,9", "user ", "user "]
    )
  })

  it("are none in anything else", () => {
    for (const body of [undefined, null, {}, { input: "text" }, "text", []]) {
      assert.deepStrictEqual(fromResponses(body), [])
    }
  })
})

describe("leftElsewhere", () => {
  it("tells what a request leaves at the provider", () => {
    const neither = { callsElsewhere: false, resultsElsewhere: false }
    assert.deepStrictEqual(leftElsewhere({ input: [] }), neither)
    assert.deepStrictEqual(leftElsewhere([{ type: "message" }]), neither)
    assert.deepStrictEqual(leftElsewhere({ previous_response_id: null, conversation: null }), neither)
    const calls = { callsElsewhere: true, resultsElsewhere: false }
    assert.deepStrictEqual(leftElsewhere({ previous_response_id: "r" }), calls)
    assert.deepStrictEqual(leftElsewhere({ conversation: "c" }), calls)
    const both = { callsElsewhere: true, resultsElsewhere: true }
    assert.deepStrictEqual(leftElsewhere([{ type: "item_reference", id: "x" }]), both)
    assert.deepStrictEqual(leftElsewhere({ input: [{ type: "item_reference", id: "x" }] }), both)
  })
})
