import { assert, describe, it } from "@effect/vitest"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import { notTold, pairWire } from "../../src/pairing/Wire.ts"
import { asked, assistant, brief, call, user } from "./Prompt.ts"

const memory = { name: "AnthropicMemory", wireName: "memory", providerDefined: true }

const uses = (...uses: ReadonlyArray<readonly [id: string, name: string]>) => ({
  messages: [
    { role: "assistant", content: uses.map(([id, name]) => ({ type: "tool_use", id, name, input: {} })) },
    { role: "user", content: uses.map(([id]) => ({ type: "tool_result", tool_use_id: id, content: "v" })) }
  ]
})

describe("pairWire", () => {
  it("gives every violation the scope wire", () => {
    const { format, violations } = pairWire("chat-completions", {
      messages: [
        {
          role: "assistant",
          tool_calls: [{ id: "aB3xK9mP2", type: "function", function: { name: "lookup", arguments: "{}" } }]
        },
        { role: "tool", tool_call_id: "call_aB3xK9mP2", content: "v" }
      ]
    })
    assert.strictEqual(format, "chat-completions")
    assert.deepStrictEqual(brief(violations), ["unanswered_call aB3xK9mP2 @0.0", "orphan_result call_aB3xK9mP2 @1.0"])
    assert.deepStrictEqual(violations.map((one) => one.scope), ["wire", "wire"])
  })

  it("tells a provider-defined tool under its toolkit name, with the right one", () => {
    const body = uses(["toolu_w1", "memory"], ["toolu_w2", "AnthropicMemory"])
    const { violations } = pairWire("anthropic", body, { tools: [memory] })
    assert.deepStrictEqual(brief(violations), ["wire_name_mismatch toolu_w2 @0.1"])
    assert.deepInclude(violations[0], { id: "toolu_w2", name: "AnthropicMemory", otherName: "memory", scope: "wire" })
    assert.deepStrictEqual(pairWire("anthropic", body).violations, [])
  })

  it("does not tell it of a name that another tool has on the wire", () => {
    const tools = [memory, { name: "Notes", wireName: "AnthropicMemory" }]
    assert.deepStrictEqual(pairWire("anthropic", uses(["c1", "AnthropicMemory"]), { tools }).violations, [])
    assert.deepStrictEqual(
      pairWire("anthropic", uses(["c1", "lookup"]), { tools: [{ name: "lookup" }] }).violations,
      []
    )
  })

  it("tells arguments that are no JSON, truncated or not", () => {
    const input = (args: unknown) => ({
      input: [
        { role: "user", content: "go" },
        { type: "function_call", call_id: "c1", name: "lookup", arguments: args },
        { type: "function_call_output", call_id: "c1", output: "v" }
      ]
    })
    const cut = pairWire("responses", input("{\"key\":\"al")).violations
    assert.deepStrictEqual(brief(cut), ["argument_parse_error c1 @1.0"])
    assert.deepInclude(cut[0], { truncated: true, name: "lookup" })
    const glued = pairWire("responses", input("{\"a\":1}{\"b\":2}")).violations
    assert.deepStrictEqual(brief(glued), ["argument_parse_error c1 @1.0"])
    assert.isFalse("truncated" in glued[0]!)
    for (const fine of ["", " ", "{}", "{\"key\":\"a\"}", undefined, { key: "a" }]) {
      assert.deepStrictEqual(pairWire("responses", input(fine)).violations, [])
    }
    assert.deepStrictEqual(pairWire("responses", input("{"), { parseArguments: false }).violations, [])
  })

  it("reads the arguments of chat completions, and leaves custom tools and remote tools alone", () => {
    const body = (call: object) => ({
      messages: [{ role: "assistant", tool_calls: [call] }, { role: "tool", tool_call_id: "c1", content: "v" }]
    })
    const asFunction = { id: "c1", type: "function", function: { name: "lookup", arguments: "{" } }
    assert.deepStrictEqual(brief(pairWire("chat-completions", body(asFunction)).violations), [
      "argument_parse_error c1 @0.0"
    ])
    const custom = { id: "c1", type: "custom", custom: { name: "sql", input: "{" } }
    assert.deepStrictEqual(pairWire("chat-completions", body(custom)).violations, [])
    const remote = [{ type: "mcp_call", id: "m1", name: "find", arguments: "{", output: "v" }]
    assert.deepStrictEqual(pairWire("responses", remote).violations, [])
  })

  it("tells no orphan where the calls are at the provider", () => {
    const input = [{ type: "function_call_output", call_id: "c1", output: "v" }]
    assert.deepStrictEqual(brief(pairWire("responses", { input }).violations), ["orphan_result c1 @0.0"])
    assert.deepStrictEqual(pairWire("responses", { input, previous_response_id: "resp_1" }).violations, [])
    const referred = [{ type: "item_reference", id: "fc_1" }, ...input]
    assert.deepStrictEqual(pairWire("responses", { input: referred }).violations, [])
  })

  it("lets answered approvals of remote tools be", () => {
    const request = { type: "mcp_approval_request", id: "mcpr_1", name: "find", arguments: "{}" }
    const response = { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false }
    const user = { role: "user", content: "go on" }
    assert.deepStrictEqual(pairWire("responses", [request]).violations, [])
    assert.deepStrictEqual(pairWire("responses", [request, response, user]).violations, [])
    assert.deepStrictEqual(brief(pairWire("responses", [request, user]).violations), ["unanswered_call mcpr_1 @0.0"])
  })

  it("lets a call wait whose approval only the prompt shows", () => {
    const prompt = pair(fromPrompt([user(), assistant(call("w1"), call("u1"), asked("ap1", "w1"))]))
    const body = {
      messages: [{
        role: "assistant",
        content: ["w1", "u1"].map((id) => ({ type: "tool_use", id, name: "lookup", input: {} }))
      }, { role: "user", content: "go" }]
    }
    assert.deepStrictEqual(brief(pairWire("anthropic", body).violations), [
      "unanswered_call w1 @0.0",
      "unanswered_call u1 @0.1"
    ])
    assert.deepStrictEqual(brief(prompt.violations), ["unanswered_call u1 @1.1"])
    assert.deepStrictEqual(pairWire("anthropic", body, { prompt }).violations, [])
  })
})

describe("notTold", () => {
  const fault = (key: string) =>
    pairWire("anthropic", {
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: key, content: "v" }] }]
    }).violations[0]!

  it("leaves out what was told, as often as it was told", () => {
    const [a, b] = [fault("a"), fault("b")]
    assert.deepStrictEqual(notTold([a, b], []), [a, b])
    assert.deepStrictEqual(notTold([], [a]), [])
    assert.deepStrictEqual(notTold([a, b, a], [a]), [b, a])
    assert.deepStrictEqual(notTold([a], [{ ...a, kind: "duplicate_result" }]), [a])
  })
})
