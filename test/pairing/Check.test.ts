import { assert, describe, it } from "@effect/vitest"
import { check, formatOf, type HistoryFormat } from "../../src/pairing/Check.ts"
import { NoHistory } from "../../src/pairing/NoHistory.ts"
import { repair } from "../../src/pairing/Repair.ts"
import { formats } from "./PlainHistory.ts"
import { answered, asked, assistant, brief, call, result, tool, user } from "./Prompt.ts"

const none = [null, undefined, 1, {}, { foo: 1 }, { content: "x" }, { messages: 1 }, [1, "x", null], [{ foo: 1 }]]

describe("formatOf", () => {
  it("knows a form by the first entry that only it has", () => {
    assert.strictEqual(formatOf({ content: [user(), assistant(call("c1"))] }), "effect")
    assert.strictEqual(formatOf([user(), tool(answered("ap1", true))]), "effect")
    assert.strictEqual(formatOf({ messages: [{ role: "assistant", content: [{ type: "tool_use" }] }] }), "anthropic")
    assert.strictEqual(formatOf([{ role: "assistant", content: [{ type: "web_fetch_tool_result" }] }]), "anthropic")
    assert.strictEqual(formatOf([{ role: "assistant", tool_calls: [] }]), "chat-completions")
    assert.strictEqual(formatOf({ messages: [{ role: "tool", content: "v" }] }), "chat-completions")
    assert.strictEqual(formatOf([{ role: "tool", tool_call_id: "c1" }]), "chat-completions")
    assert.strictEqual(formatOf({ input: "go" }), "responses")
    assert.strictEqual(formatOf({ input: [] }), "responses")
    assert.strictEqual(formatOf([{ role: "user" }, { type: "function_call_output" }]), "responses")
    assert.strictEqual(formatOf([{ type: "mcp_approval_request" }]), "responses")
  })

  it("knows pi by its results and calls, and a session by its first entry, in the text of its file too", () => {
    const header = { type: "session", version: 3, id: "s" }
    const entry = { type: "message", id: "a", parentId: null, message: { role: "user", content: "go" } }
    assert.strictEqual(formatOf([{ role: "user", content: "go" }, { role: "toolResult", toolCallId: "c1" }]), "pi")
    assert.strictEqual(formatOf({ messages: [{ role: "assistant", content: [{ type: "toolCall", id: "c1" }] }] }), "pi")
    assert.strictEqual(formatOf([header]), "pi")
    assert.strictEqual(formatOf([entry]), "pi")
    assert.strictEqual(formatOf(`${JSON.stringify(header)}\n${JSON.stringify(entry)}\n{"ty`), "pi")
    assert.strictEqual(formatOf(JSON.stringify(header)), "pi")
    assert.strictEqual(formatOf([{ type: "message", role: "user", content: "go" }]), "effect")
  })

  it("takes a history without tools for an Effect prompt", () => {
    assert.strictEqual(formatOf("go"), "effect")
    assert.strictEqual(formatOf([]), "effect")
    assert.strictEqual(formatOf({ messages: [{ role: "user", content: "go" }] }), "effect")
  })

  it("knows what is no history", () => {
    for (const value of none) assert.strictEqual(formatOf(value), undefined)
  })
})

describe("check", () => {
  it("refuses what is a history of no known form, and a text: it was not parsed", () => {
    for (const value of [...none, "x", "{\"messages\":[]}"]) {
      assert.throws(() => check(value), NoHistory, "This is a history of no known form.")
    }
    for (const value of [[], { messages: [] }, { content: [] }, { input: "go" }, [user()]]) {
      assert.deepStrictEqual(check(value), [])
    }
  })

  it("refuses a history of another form than the one it is told, where that sees nothing of it", () => {
    const calls: Readonly<Record<HistoryFormat, unknown>> = {
      effect: [{ role: "assistant", content: [{ type: "tool-call", id: "c1", name: "t", params: {} }] }],
      anthropic: { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "t", input: {} }] }] },
      "chat-completions": {
        messages: [{ role: "assistant", tool_calls: [{ id: "c1", function: { name: "t", arguments: "{}" } }] }]
      },
      responses: { input: [{ type: "function_call", call_id: "c1", name: "t", arguments: "{}" }] },
      pi: [{ role: "assistant", content: [{ type: "toolCall", id: "c1", name: "t", arguments: {} }] }]
    }
    for (const format of formats) {
      for (const other of formats) {
        if (other === format) assert.lengthOf(check(calls[other], { format }), 1)
        else {
          assert.throws(() => check(calls[other], { format }), NoHistory, "of another form than the given one")
          assert.throws(() => repair(calls[other], { format }), NoHistory, "of another form than the given one")
        }
      }
      // What has no call or result is of any form.
      assert.deepStrictEqual(check({ messages: [user()] }, { format }), [])
    }
    const session = `{"type":"session"}\n${
      JSON.stringify({ type: "message", id: "a", message: (calls.pi as ReadonlyArray<unknown>)[0] })
    }`
    assert.throws(() => check(session, { format: "anthropic" }), NoHistory, "of another form")
    assert.deepStrictEqual(check(session, { format: "effect" }), [])
  })

  it("takes anything in a form that it is told: the caller knows", () => {
    for (const format of formats) {
      for (const value of [...none, "x"]) assert.deepStrictEqual(check(value, { format }), [])
    }
  })

  it("tells faults of pairing and of approvals together, in the order of the history", () => {
    const violations = check([
      user(),
      assistant(call("w1"), asked("ap1", "w1")),
      user("what time is it"),
      tool(answered("ap_old", true), result("gone"))
    ])
    assert.deepStrictEqual(brief(violations), [
      "unanswered_call w1 @1.0",
      "abandoned_approval w1 @1.1",
      "unmatched_approval - @3.0",
      "orphan_result gone @3.1"
    ])
    assert.deepStrictEqual(violations.map((one) => one.scope), ["conversation", "turn", "turn", "conversation"])
  })

  it("reads the messages of a pi agent, and the branch of its session file that is asked for", () => {
    const calling = {
      role: "assistant",
      content: [{ type: "text", text: "x" }, { type: "toolCall", id: "c1|fc_1", name: "read", arguments: {} }]
    }
    const answer = { role: "toolResult", toolCallId: "c1|fc_1", toolName: "read", content: [], isError: false }
    assert.deepStrictEqual(brief(check([calling, { role: "user", content: "x" }])), ["unanswered_call c1 @0.1"])
    assert.deepStrictEqual(check({ messages: [calling, answer] }), [])
    const session = [
      { type: "session", version: 3, id: "s" },
      { type: "message", id: "a", parentId: null, message: calling },
      { type: "message", id: "b", parentId: "a", message: answer },
      { type: "message", id: "x", parentId: "a", message: { role: "user", content: "x" } }
    ].map((entry) => JSON.stringify(entry)).join("\n")
    assert.deepStrictEqual(brief(check(session)), ["unanswered_call c1 @0.1"])
    assert.deepStrictEqual(check(session, { leaf: "b" }), [])
  })

  it("takes the two names of a tool for one", () => {
    const history = [assistant(call("m1", "AnthropicMemory")), tool(result("m1", "memory"))]
    assert.deepStrictEqual(brief(check(history)), ["renamed_tool m1 @1.0"])
    assert.deepStrictEqual(check(history, { tools: [{ name: "AnthropicMemory", wireName: "memory" }] }), [])
  })

  it("reads the messages of a body as the format it is told", () => {
    const body = { messages: [assistant(call("u1")), user()] }
    assert.deepStrictEqual(brief(check(body)), ["unanswered_call u1 @0.0"])
    assert.deepStrictEqual(brief(check(body, { format: "effect" })), ["unanswered_call u1 @0.0"])
  })

  it("says how to mend each fault in one sentence", () => {
    const [fault] = check([tool(result("gone"))])
    assert.match(fault?.advice ?? "", /^[A-Z][^.]+\.$/)
  })
})
