import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Prompt } from "effect/ai"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { other } from "../../src/pairing/History.ts"
import { answered, asked, assistant, call, result, tool, user } from "./Prompt.ts"

describe("fromPrompt", () => {
  it("reads each kind of part, with its index", () => {
    const [message] = fromPrompt([
      assistant(
        { type: "text", text: "x" },
        call("c1", "lookup", { providerExecuted: true }),
        { type: "reasoning", text: "hm" },
        asked("ap1", "c1")
      )
    ])
    assert.strictEqual(message?.role, "assistant")
    assert.deepStrictEqual(message?.parts.map((part) => part.type), ["other", "call", "other", "approval-request"])
    assert.deepInclude(message?.parts[1], {
      id: "c1",
      name: "lookup",
      params: { key: "alpha" },
      providerExecuted: true
    })
    assert.isFalse("caller" in message!.parts[1]!)
    assert.deepInclude(message?.parts[3], { approvalId: "ap1", callId: "c1" })
  })

  it("reads results and answers", () => {
    const [message] = fromPrompt([
      tool(result("c1", "lookup", { isFailure: true, result: { error: 1 } }), answered("ap1", false, "no"))
    ])
    assert.deepInclude(message?.parts[0], {
      type: "result",
      id: "c1",
      name: "lookup",
      isFailure: true,
      result: { error: 1 },
      providerExecuted: false
    })
    assert.deepInclude(message?.parts[1], {
      type: "approval-response",
      approvalId: "ap1",
      approved: false,
      reason: "no"
    })
  })

  it("reads the caller of a programmatic call", () => {
    const caller = (value: object) => {
      const part = fromPrompt([assistant(call("c1", "lookup", { options: { anthropic: { caller: value } } }))])[0]
        ?.parts[0]
      return part?.type === "call" ? part.caller : "no call"
    }
    assert.strictEqual(caller({ type: "code_execution_20250825", toolId: "code" }), "code")
    assert.strictEqual(caller({ type: "code_execution_20250825", tool_id: "code" }), "code")
    assert.strictEqual(caller({ type: "direct" }), undefined)
  })

  it.effect("reads a decoded prompt as it reads the encoded one", () =>
    Effect.gen(function*() {
      const encoded = { content: [user(), assistant(call("c1"), asked("ap1", "c1")), tool(result("c1"))] }
      const decoded = yield* Schema.decodeUnknownEffect(Prompt.Prompt)(encoded)
      const shape = (prompt: unknown) =>
        fromPrompt(prompt).map(({ parts, role }) => [role, parts.map(({ type }) => type)])
      assert.deepStrictEqual(shape(decoded), shape(encoded))
      assert.deepStrictEqual(shape(decoded), [
        ["user", []],
        ["assistant", ["call", "approval-request"]],
        ["tool", ["result"]]
      ])
    }))

  it("shares one empty list and one stand-in between the parts that do not matter", () => {
    const messages = fromPrompt([
      user(),
      { role: "system", content: "be brief" },
      assistant({ type: "text" }, call("c"))
    ])
    assert.strictEqual(messages[0]?.parts, messages[1]?.parts)
    assert.strictEqual(messages[2]?.parts[0], other)
  })

  it("has no messages for a text", () => {
    assert.deepStrictEqual(fromPrompt("go"), [])
  })

  it("takes any shape without a throw", () => {
    const odd = [
      null,
      1,
      "x",
      [],
      {},
      { role: 1 },
      { role: "assistant", content: null },
      { role: "assistant", content: [null, 1, "x", {}, { type: "tool-call" }, { type: "tool-result", id: 12 }] },
      { role: "tool", content: [{ type: "tool-approval-response" }, { type: "tool-approval-request" }] }
    ]
    const messages = fromPrompt(odd)
    assert.strictEqual(messages.length, odd.length)
    assert.deepInclude(messages[7]?.parts[4], { type: "call", id: undefined, name: "" })
    assert.deepInclude(messages[7]?.parts[5], { type: "result", id: "12", name: "" })
    for (const value of [null, undefined, 1, true, {}, { content: 1 }]) assert.deepStrictEqual(fromPrompt(value), [])
  })
})
