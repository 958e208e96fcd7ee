import { assert, describe, it } from "@effect/vitest"
import { Prompt } from "effect/ai"
import * as fc from "fast-check"
import type { HistoryFormat } from "../../src/pairing/Check.ts"
import { check } from "../../src/pairing/Check.ts"
import * as MissingResult from "../../src/pairing/MissingResult.ts"
import { NoHistory } from "../../src/pairing/NoHistory.ts"
import { repair, repairedKinds } from "../../src/pairing/Repair.ts"
import { anyHistory, encoders, formats, formatsWithServerTools, wellPaired } from "./PlainHistory.ts"
import { answered, asked, assistant, brief, call, result, said, tool, user } from "./Prompt.ts"

const left = (history: unknown, format: HistoryFormat) =>
  check(history, { format }).filter((one) => (repairedKinds as ReadonlyArray<string>).includes(one.kind))

const frozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const child of Object.values(value)) frozen(child)
  }
  return value
}

const missing = (id: string, more: object = {}) => ({
  type: "tool-result",
  id,
  name: "lookup",
  isFailure: true,
  result: MissingResult.value,
  providerExecuted: false,
  options: {},
  ...more
})

describe("repair", () => {
  for (const format of formats) {
    it(`gives a well-paired ${format} history back as it is`, () => {
      fc.assert(fc.property(wellPaired(formatsWithServerTools.includes(format)), (plain) => {
        const { history } = encoders[format](plain)
        const repaired = repair(history, { format })
        assert.strictEqual(repaired.history, history)
        assert.deepStrictEqual(repaired.mended, [])
      }))
    })

    it(`leaves no fault that it mends in any ${format} history, and is done after one repair`, () => {
      fc.assert(
        fc.property(anyHistory, (plain) => {
          const history = frozen(encoders[format](plain).history)
          const repaired = repair(history, { format })
          assert.deepStrictEqual(left(repaired.history, format), [])
          assert.deepStrictEqual(brief(repaired.mended), brief(left(history, format)))
          assert.strictEqual(repaired.history === history, repaired.mended.length === 0)
          assert.strictEqual(repair(repaired.history, { format }).history, repaired.history)
        }),
        { numRuns: 300 }
      )
    })
  }

  it("mends an Effect prompt at the places of its faults and nowhere else", () => {
    const messages = [
      user(),
      assistant({ type: "text", text: "x" }, call("c1"), call("c2")),
      tool(result("c2"), result("zz")),
      user(),
      tool(result("c2", "lookup", { result: "again" })),
      said()
    ]
    const { history, mended } = repair(messages)
    assert.deepStrictEqual(history as unknown, [
      messages[0],
      messages[1],
      { role: "tool", content: [result("c2"), missing("c1")] },
      messages[3],
      messages[5]
    ])
    assert.strictEqual(history[0], messages[0])
    assert.strictEqual(history[1], messages[1])
    assert.deepStrictEqual(brief(mended), [
      "unanswered_call c1 @1.1",
      "orphan_result zz @2.1",
      "duplicate_result c2 @4.0"
    ])
  })

  it("answers at the end, and every call of an id that one message has twice", () => {
    const { history } = repair([user(), assistant(call("c1"), call("c1"))])
    assert.deepStrictEqual(history[2] as unknown, {
      role: "tool",
      content: [missing("c1"), missing("c1")],
      options: {}
    })
    assert.deepStrictEqual(left(history, "effect"), [])
  })

  it("answers what the provider ran in the message of the call", () => {
    const { history } = repair([
      assistant(call("s1", "lookup", { providerExecuted: true }), { type: "text", text: "x" }),
      user()
    ])
    assert.deepStrictEqual(
      history[0]?.content as unknown,
      [
        call("s1", "lookup", { providerExecuted: true }),
        missing("s1", { providerExecuted: true }),
        { type: "text", text: "x" }
      ]
    )
  })

  it("leaves approvals alone: what waits, and what the host is about to run or deny", () => {
    const pending = [user(), assistant(call("c1"), asked("a1", "c1"))]
    assert.strictEqual(repair(pending).history, pending)
    const approved = [...pending, tool(answered("a1", true))]
    assert.strictEqual(repair(approved).history, approved)
    const left = repair([...pending, user()]).history
    assert.deepStrictEqual(left[2] as unknown, { role: "tool", content: [missing("c1")], options: {} })
  })

  it("answers what is missing beside what waits, runs or is settled", () => {
    const messages = [
      user(),
      assistant(call("c1"), asked("a1", "c1"), call("c2"), call("c3", "lookup", { providerExecuted: true })),
      tool(answered("a1", true)),
      assistant(call("c4"), asked("a4", "c4"))
    ]
    const { history, mended } = repair(messages)
    assert.deepStrictEqual(mended.map(({ key }) => key), ["c2", "c3"])
    assert.deepStrictEqual<unknown>(history[2]?.content, [answered("a1", true), missing("c2")])
    assert.lengthOf(history, 4)
    assert.strictEqual(history[3], messages[3])
  })

  it("leaves out every wrong result of a message, and a message that holds nothing else", () => {
    const kept = assistant(call("c1"))
    const { history } = repair([kept, tool(result("x"), result("c1"), result("y"), result("c1")), tool(result("z"))])
    assert.deepStrictEqual<unknown>(history, [kept, { role: "tool", content: [result("c1")] }])
  })

  it("answers a call once, wherever more messages of the same kind follow", () => {
    const use = (id: string) => ({ id, type: "function", function: { name: "lookup", arguments: "{}" } })
    const words = { role: "user", content: "x" }
    const chat = repair([{ role: "assistant", tool_calls: [use("c1")] }, words, words])
    assert.deepStrictEqual(chat.history.map(({ role }) => role), ["assistant", "tool", "user", "user"])
    const block = { type: "tool_use", id: "c1", name: "lookup", input: {} }
    const anthropic = repair([{ role: "assistant", content: [block] }, words, words])
    assert.deepStrictEqual(anthropic.history.map(({ content }) => content.length), [1, 2, 1])
    assert.strictEqual(anthropic.history[2], words)
    const use2 = { type: "tool_result", tool_use_id: "c2", content: "v" }
    const results = repair([{ role: "assistant", content: [block, { ...block, id: "c2" }] }, {
      role: "user",
      content: [use2]
    }])
    assert.deepStrictEqual(
      results.history[1]?.content.map((one: any) => one.tool_use_id),
      ["c2", "c1"]
    )
  })

  it("mends the messages of a pi agent with results as old as their calls, and refuses a session file", () => {
    const calling = (...ids: ReadonlyArray<string>) => ({
      role: "assistant",
      content: ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: {} })),
      timestamp: 7
    })
    const answer = (toolCallId: string, more: object = {}) => ({
      role: "toolResult",
      toolCallId,
      toolName: "read",
      content: [] as ReadonlyArray<object>,
      isError: false,
      timestamp: 8,
      ...more
    })
    const lost = answer("c1|fc_1", {
      content: [{ type: "text", text: JSON.stringify(MissingResult.value) }],
      isError: true,
      timestamp: 7
    })
    const broken = { ...calling("c3"), stopReason: "aborted" }
    const messages = [calling("c1|fc_1", "c2"), answer("c2"), answer("zz"), broken, { role: "user", content: "x" }]
    const { history, mended } = repair(messages)
    assert.deepStrictEqual<unknown>(history, [messages[0], messages[1], lost, broken, messages[4]])
    assert.deepStrictEqual(brief(mended), ["unanswered_call c1 @0.0", "orphan_result zz @2.0"])
    assert.throws(() => repair("{\"type\":\"session\"}"), NoHistory, "This is a session file of pi")
  })

  it("keeps a decoded prompt decoded", () => {
    const prompt = Prompt.make([
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [{ type: "tool-call", id: "c1", name: "lookup", params: {}, providerExecuted: false }]
      }
    ])
    const { history } = repair(prompt)
    assert.isTrue(Prompt.isPrompt(history))
    assert.strictEqual(history.content[0], prompt.content[0])
    const encoded = JSON.parse(JSON.stringify(history)) as unknown
    assert.deepStrictEqual(history.content[2]?.role, "tool")
    const made = Prompt.make([
      { role: "tool", content: [{ ...missing("c1"), type: "tool-result", providerExecuted: false } as never] }
    ])
    assert.deepStrictEqual(
      Object.keys(history.content[2]!).toSorted(),
      Object.keys(made.content[0]!).toSorted()
    )
    assert.deepStrictEqual(
      { ...(history.content[2]?.content[0] as object) },
      { ...(made.content[0]?.content[0] as object) }
    )
    assert.isDefined(encoded)
    assert.strictEqual(typeof history.pipe, "function")
  })

  it("takes a list of messages in a body, and refuses what is no history unless it is told the form", () => {
    const body = { model: "m", messages: [assistant(call("c1")), user()] }
    const { history } = repair(body)
    assert.strictEqual(history.model, "m")
    assert.lengthOf(history.messages, 3)
    for (const value of [42, "text", { foo: 1 }, null]) {
      assert.throws(() => repair(value), NoHistory, "This is a history of no known form.")
      assert.deepStrictEqual(repair(value, { format: "effect" }), { history: value, mended: [] })
    }
  })

  it("puts Anthropic results first into the next user message", () => {
    const use = (id: string, type = "tool_use", name = "lookup") => ({ type, id, name, input: {} })
    const kept = { type: "tool_result", tool_use_id: "c2", content: "v" }
    const body = {
      model: "m",
      messages: [
        { role: "assistant", content: [use("c1"), use("c2")] },
        { role: "user", content: [kept, { type: "text", text: "x" }] },
        { role: "assistant", content: [use("c3")] },
        { role: "user", content: "words" },
        { role: "assistant", content: [use("c4")] },
        { role: "assistant", content: [use("s1", "server_tool_use", "web_search"), use("m1", "mcp_tool_use")] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "zz", content: "v" }] },
        { role: "assistant", content: [use("c5")] }
      ]
    }
    const { history } = repair(body)
    const answer = (id: string) => ({
      type: "tool_result",
      tool_use_id: id,
      content: JSON.stringify(MissingResult.value),
      is_error: true
    })
    assert.strictEqual(history.model, "m")
    assert.deepStrictEqual(history.messages as unknown, [
      body.messages[0],
      { role: "user", content: [kept, answer("c1"), { type: "text", text: "x" }] },
      body.messages[2],
      { role: "user", content: [answer("c3"), { type: "text", text: "words" }] },
      body.messages[4],
      { role: "user", content: [answer("c4")] },
      {
        role: "assistant",
        content: [
          use("s1", "server_tool_use", "web_search"),
          {
            type: "web_search_tool_result",
            tool_use_id: "s1",
            content: { type: "web_search_tool_result_error", error_code: "unavailable" }
          },
          use("m1", "mcp_tool_use"),
          {
            type: "mcp_tool_result",
            tool_use_id: "m1",
            is_error: true,
            content: [{ type: "text", text: JSON.stringify(MissingResult.value) }]
          }
        ]
      },
      body.messages[7],
      { role: "user", content: [answer("c5")] }
    ])
  })

  it("puts tool messages after those that chat completions have, and leaves out whole ones", () => {
    const ask = (id: string) => ({ id, type: "function", function: { name: "lookup", arguments: "{}" } })
    const told = (id: string) => ({ role: "tool", tool_call_id: id, content: "v" })
    const messages = [
      { role: "assistant", tool_calls: [ask("c1"), ask("c2")] },
      told("c2"),
      told("zz"),
      { role: "user", content: "x" },
      { role: "assistant", tool_calls: [ask("c3")] }
    ]
    const answer = (id: string) => ({ role: "tool", tool_call_id: id, content: JSON.stringify(MissingResult.value) })
    assert.deepStrictEqual(repair(messages).history as unknown, [
      messages[0],
      messages[1],
      answer("c1"),
      messages[3],
      messages[4],
      answer("c3")
    ])
  })

  it("puts outputs after the calls of Responses input, in the words of each kind of call", () => {
    const input = [
      { type: "function_call", call_id: "c1", name: "lookup", arguments: "{}" },
      { type: "custom_tool_call", call_id: "c2", name: "sql", input: "x" },
      { type: "message", role: "user", content: "x" },
      { type: "web_search_call", id: "ws", status: "in_progress" },
      { type: "message", role: "user", content: "x" },
      { type: "mcp_approval_request", id: "mcpr", name: "find", arguments: "{}" },
      { type: "function_call_output", call_id: "zz", output: "v" },
      { type: "message", role: "user", content: "x" }
    ]
    const output = JSON.stringify(MissingResult.value)
    const { history } = repair({ model: "m", input })
    assert.deepStrictEqual(history as unknown, {
      model: "m",
      input: [
        input[0],
        input[1],
        { type: "function_call_output", call_id: "c1", output },
        { type: "custom_tool_call_output", call_id: "c2", output },
        input[2],
        { ...input[3], status: "failed" },
        input[4],
        input[5],
        {
          type: "mcp_approval_response",
          approval_request_id: "mcpr",
          approve: false,
          reason: MissingResult.text
        },
        input[7]
      ]
    })
    const continued = { previous_response_id: "resp_1", input: [input[6]] }
    assert.strictEqual(repair(continued).history, continued)
  })

  it("marks its results so that they can be told", () => {
    assert.isTrue(MissingResult.is(MissingResult.value))
    assert.isTrue(MissingResult.is(JSON.parse(JSON.stringify(MissingResult.value))))
    for (const other of [undefined, null, "result-missing", { type: "execution-denied" }]) {
      assert.isFalse(MissingResult.is(other))
    }
    assert.match(MissingResult.text, /^The result .*\.$/)
    assert.deepStrictEqual(MissingResult.value, { type: "result-missing", message: MissingResult.text })
  })
})
