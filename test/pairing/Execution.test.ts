import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { executionViolations, sameEncoded } from "../../src/pairing/Execution.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import { answered, asked, assistant, brief, call, tool } from "./Prompt.ts"

const { approvals, calls } = pair(fromPrompt([
  assistant(call("w1", "wipe", { params: { path: "a" } }), asked("ap1", "w1")),
  tool(answered("ap1", true)),
  assistant(call("w1", "wipe", { params: { path: "b" } }))
]))
const first = calls[0]!
const second = calls[1]!
const approval = approvals[0]!

describe("executionViolations", () => {
  it("finds nothing in a run of what was approved", () => {
    assert.deepStrictEqual(executionViolations([{ call: first, approval, params: { path: "a" } }]), [])
    assert.deepStrictEqual(executionViolations([{ call: first, approval }], { approved: [approval] }), [])
    assert.deepStrictEqual(executionViolations([{ call: first, params: { path: "z" } }, { call: second }]), [])
  })

  it("tells a call that ran again, in this turn or before", () => {
    assert.deepStrictEqual(brief(executionViolations([{ call: first }, { call: first }])), [
      "duplicate_execution w1 @0.0"
    ])
    assert.deepStrictEqual(brief(executionViolations([{ call: first }], { ran: new Set(["w1"]) })), [
      "duplicate_execution w1 @0.0"
    ])
  })

  it("tells another occurrence than the approved one, and no approved_not_executed with it", () => {
    const found = executionViolations([{ call: second, approval }], { approved: [approval] })
    assert.deepStrictEqual(brief(found), ["approval_mismatch w1#2 @2.0"])
    assert.deepInclude(found[0], { scope: "turn", id: "w1", approvalId: "ap1" })
  })

  it("tells other arguments than the approved ones", () => {
    assert.deepStrictEqual(brief(executionViolations([{ call: first, approval, params: { path: "z" } }])), [
      "approval_mismatch w1 @0.0"
    ])
    const remembered = { call: first, approval, params: { path: "a" }, approvedParams: { path: "z" } }
    assert.deepStrictEqual(brief(executionViolations([remembered])), ["approval_mismatch w1 @0.0"])
  })

  it("tells an approved call that never ran", () => {
    const found = executionViolations([], { approved: [approval] })
    assert.deepStrictEqual(brief(found), ["approved_not_executed w1 @0.0"])
    assert.deepInclude(found[0], { scope: "turn", approvalId: "ap1" })
    assert.deepStrictEqual(executionViolations([{ call: first }], { approved: [approval] }), [])
  })
})

describe("sameEncoded", () => {
  it("compares as JSON does, whatever the order of keys", () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (one, two) => {
      const normal = (value: unknown): string =>
        JSON.stringify(
          value,
          (_, inner: unknown) =>
            typeof inner === "object" && inner !== null && !Array.isArray(inner)
              ? ["an object", ...Object.entries(inner).toSorted(([a], [b]) => a < b ? -1 : 1)]
              : inner
        )
      assert.isTrue(sameEncoded(one, structuredClone(one)))
      assert.strictEqual(sameEncoded(one, two), normal(one) === normal(two))
    }))
    assert.isTrue(sameEncoded({ a: 1, b: undefined }, { a: 1 }))
    assert.isTrue(sameEncoded({ a: 1, b: 2 }, { b: 2, a: 1 }))
    assert.isFalse(sameEncoded([1], { 0: 1 }))
    assert.isFalse(sameEncoded({ a: 1 }, { b: 1 }))
    assert.isFalse(sameEncoded(null, {}))
  })

  it("survives depth and cycles", () => {
    const deep = () => JSON.parse(`${"[".repeat(5000)}1${"]".repeat(5000)}`) as unknown
    assert.isTrue(sameEncoded(deep(), deep()))
    const cycle = (): object => {
      const value: Record<string, unknown> = { a: 1 }
      value["self"] = value
      return value
    }
    assert.isTrue(sameEncoded(cycle(), cycle()))
  })
})
