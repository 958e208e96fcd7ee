import { assert, describe, it } from "@effect/vitest"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import type { Violation } from "../../src/pairing/Violation.ts"

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] })
const assistant = (...content: ReadonlyArray<object>) => ({ role: "assistant", content })
const tool = (...content: ReadonlyArray<object>) => ({ role: "tool", content })
const call = (id: string | undefined, name = "lookup", more: object = {}) => ({
  type: "tool-call",
  id,
  name,
  params: { key: "alpha" },
  providerExecuted: false,
  ...more
})
const result = (id: string | undefined, name = "lookup") => ({
  type: "tool-result",
  id,
  name,
  isFailure: false,
  result: "v",
  providerExecuted: false
})
const asked = (approvalId: string, toolCallId: string) => ({ type: "tool-approval-request", approvalId, toolCallId })
const answered = (approvalId: string, approved: boolean) => ({ type: "tool-approval-response", approvalId, approved })

const pairPrompt = (...messages: ReadonlyArray<object>) => pair(fromPrompt(messages))
const brief = (violations: ReadonlyArray<Violation>) =>
  violations.map((one) => `${one.kind} ${one.key ?? "-"} @${one.message}.${one.part}`)
const faults = (...messages: ReadonlyArray<object>) => brief(pairPrompt(...messages).violations)

describe("pair", () => {
  it("finds nothing wrong with a call and its result", () => {
    const pairing = pairPrompt(user("go"), assistant(call("c1")), tool(result("c1")))
    assert.deepStrictEqual(brief(pairing.violations), [])
    assert.strictEqual(pairing.calls[0]?.results[0], pairing.results[0])
    assert.strictEqual(pairing.results[0]?.call, pairing.calls[0])
    assert.strictEqual(pairing.lastAssistant, 1)
    assert.strictEqual(pairing.occurrences.get("c1"), 1)
  })

  it("tells a call without its result", () => {
    assert.deepStrictEqual(faults(user("go"), assistant(call("u1")), user("never mind")), ["unanswered_call u1 @1.0"])
  })

  it("tells a result without its call, also when the call stands behind it", () => {
    assert.deepStrictEqual(faults(tool(result("gone")), assistant(), user("go on")), ["orphan_result gone @0.0"])
    assert.deepStrictEqual(faults(tool(result("c1")), assistant(call("c1"))), [
      "orphan_result c1 @0.0",
      "unanswered_call c1 @1.0"
    ])
  })

  it("tells a second result, and says whose it is", () => {
    assert.deepStrictEqual(faults(assistant(call("r1")), tool(result("r1"), result("r1"))), [
      "duplicate_result r1 @1.1"
    ])
  })

  it("counts calls that share an id in one message once", () => {
    assert.deepStrictEqual(faults(assistant(call("d1"), call("d1")), tool(result("d1"))), ["duplicate_id d1#2 @0.1"])
    assert.deepStrictEqual(faults(assistant(call("d1"), call("d1")), user("go")), [
      "unanswered_call d1 @0.0",
      "duplicate_id d1#2 @0.1"
    ])
  })

  it("answers the calls of the latest message first, in their order", () => {
    const pairing = pairPrompt(
      assistant(call("c", "one")),
      assistant(call("c", "two"), call("c", "three")),
      tool(result("c", "two"), result("c", "three"), result("c", "one"), result("c", "three"))
    )
    assert.deepStrictEqual(pairing.results.map((one) => one.key), ["c#2", "c#3", "c", "c#3"])
    assert.deepStrictEqual(brief(pairing.violations), [
      "duplicate_id c#2 @1.0",
      "duplicate_id c#3 @1.1",
      "duplicate_result c#3 @2.3"
    ])
  })

  it("lets a pending approval wait", () => {
    assert.deepStrictEqual(
      faults(user("go"), assistant(call("w1"), asked("ap1", "w1")), tool(answered("old", true))),
      []
    )
  })

  it("tells the call of an abandoned approval", () => {
    const pairing = pairPrompt(user("go"), assistant(call("w1"), asked("ap1", "w1")), user("what time is it"))
    assert.deepStrictEqual(brief(pairing.violations), ["unanswered_call w1 @1.0"])
    assert.strictEqual(pairing.calls[0]?.state, "abandoned")
  })
})
