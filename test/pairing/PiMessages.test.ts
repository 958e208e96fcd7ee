import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import { fromPi, piId } from "../../src/pairing/PiMessages.ts"
import type { Violation } from "../../src/pairing/Violation.ts"
import { histories, line, toPi, withoutApprovals } from "./PiHistory.ts"

const told = ({ id, key, kind, otherName }: Violation) => ({ kind, id, key, otherName })

const composite = (id: unknown) => typeof id === "string" && id !== "" ? `${id}|fc_${id}` : id

describe("the cases of histories, in pi's format", () => {
  it("are all but the one that pi cannot have", () => {
    assert.deepStrictEqual(histories.filter(({ why }) => why !== undefined).map(({ file, why }) => `${file}: ${why}`), [
      "29-server-tool-use-lost-its-result.json: pi has no calls that the provider runs"
    ])
    assert.lengthOf(histories.filter(({ expected, why }) => why === undefined && expected !== undefined), 13)
    assert.lengthOf(histories.filter(({ expected }) => expected === undefined), 9)
  })

  for (const [at, { expected, file, prompt, title }] of histories.filter(({ why }) => why === undefined).entries()) {
    it(`${file}: ${title} (${at})`, () => {
      const bare = withoutApprovals(prompt)
      for (const itemOf of [(id: unknown) => id, composite]) {
        const { violations } = pair(fromPi(toPi(bare, itemOf)))
        if (expected !== undefined) {
          assert.deepStrictEqual(violations.map(({ id, kind }) => line(kind, id)).sort(), expected)
        }
        assert.sameDeepMembers(violations.map(told), pair(fromPrompt(bare)).violations.map(told))
      }
    })
  }
})

describe("fromPi", () => {
  it("reads calls, results and everything else, with the roles of the requests", () => {
    const call = { type: "toolCall", id: "call_1|fc_9", name: "read", arguments: { path: "a" } }
    const result = { role: "toolResult", toolCallId: "call_1|fc_9", toolName: "read", content: [], isError: true }
    const messages = fromPi({
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "go" },
        { role: "assistant", content: [{ type: "text", text: "x" }, call], stopReason: "toolUse" },
        result,
        { role: "compactionSummary", summary: "…" }
      ]
    })
    assert.deepStrictEqual(messages.map(({ role }) => role), ["system", "user", "assistant", "tool", "user"])
    assert.deepStrictEqual(messages[2]?.parts, [
      { type: "other" },
      { type: "call", id: "call_1", name: "read", params: { path: "a" }, providerExecuted: false, source: call }
    ])
    assert.deepStrictEqual(messages[3]?.parts, [{
      type: "result",
      id: "call_1",
      name: "read",
      isFailure: true,
      result: [],
      providerExecuted: false,
      source: result
    }])
  })

  it("pairs a composite id with the call's id alone, and keeps ids apart that differ in it", () => {
    const history = (answer: string) => [
      { role: "assistant", content: [{ type: "toolCall", id: "call_1|fc_1", name: "read", arguments: {} }] },
      { role: "toolResult", toolCallId: answer, toolName: "read", content: [], isError: false }
    ]
    const kinds = (answer: string) => pair(fromPi(history(answer))).violations.map(({ kind }) => kind)
    assert.deepStrictEqual(kinds("call_1"), [])
    assert.deepStrictEqual(kinds("call_1|fc_2"), [])
    assert.deepStrictEqual(kinds("fc_1"), ["unanswered_call", "orphan_result"])
    assert.deepStrictEqual(piId("call_1|fc_1"), { id: "call_1", itemId: "fc_1" })
    assert.deepStrictEqual(piId("call_1|"), { id: "call_1", itemId: undefined })
    assert.deepStrictEqual(piId("|fc_1"), { id: "|fc_1", itemId: undefined })
    assert.deepStrictEqual(piId(""), { id: "", itemId: undefined })
    assert.deepStrictEqual(piId(7), { id: "7", itemId: undefined })
    assert.deepStrictEqual(piId(undefined), { id: undefined, itemId: undefined })
  })

  it("has no calls of an answer that broke off", () => {
    for (const stopReason of ["error", "aborted"]) {
      const broken = { role: "assistant", content: [{ type: "toolCall", id: "c", name: "x" }], stopReason }
      assert.deepStrictEqual(pair(fromPi([broken, { role: "user", content: "again" }])).violations, [])
    }
  })

  it("reads anything without throwing", () => {
    fc.assert(fc.property(fc.anything(), (value) => {
      assert.isArray(fromPi(value))
      assert.isArray(fromPi([value]))
      assert.isArray(fromPi([{ role: "assistant", content: [value] }, { role: "toolResult", toolCallId: value }]))
    }))
  })
})
