import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as fs from "node:fs"
import * as path from "node:path"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import { fromPi, piId } from "../../src/pairing/PiMessages.ts"
import type { Violation } from "../../src/pairing/Violation.ts"
import type { Block, Case, ExpectedViolation } from "../cases/case-file.ts"
import { inexpressible, toPi } from "./PiHistory.ts"

const folder = path.resolve(import.meta.dirname, "../cases/cases")

const cases = fs.readdirSync(folder).filter((file) => /^\d.*\.json$/.test(file)).sort().map((file) => ({
  file,
  content: JSON.parse(fs.readFileSync(path.join(folder, file), "utf8")) as Case
}))

const blocks = (block: Block | undefined): ReadonlyArray<Block> =>
  block === undefined ? [] : [block, ...blocks(block.also)]

const told = ({ id, key, kind, otherName }: Violation) => ({ kind, id, key, otherName })

const line = (kind: string, id: string | null | undefined) => `${kind} ${id ?? "none"}`

/** What a case says of its history by itself. */
const expected = (content: Case): ReadonlyArray<string> | undefined => {
  const block = blocks(content.assert).find((one) => one.run === "prompt")
  return block?.violations?.filter(({ scope }) => scope === "conversation").flatMap((one: ExpectedViolation) =>
    Array.from({ length: one.count }, () => line(one.kind, one.id))
  ).sort()
}

const histories = cases.flatMap(({ content, file }) => {
  const prompt = content.effect_prompt
  return prompt === undefined || expected(content) === undefined
    ? []
    : [{ file, prompt, content, why: inexpressible(prompt) }]
})

const composite = (id: unknown) => typeof id === "string" && id !== "" ? `${id}|fc_${id}` : id

describe("the cases of histories, in pi's format", () => {
  it("are many, and those that pi cannot have are named", () => {
    const left = histories.filter(({ why }) => why !== undefined)
    assert.isAtLeast(histories.length - left.length, 10)
    for (const { why } of left) assert.match(why ?? "", /pi/)
  })

  for (const { content, file, prompt } of histories.filter(({ why }) => why === undefined)) {
    it(`${file}: ${content.title}`, () => {
      for (const itemOf of [(id: unknown) => id, composite]) {
        const { violations } = pair(fromPi(toPi(prompt, itemOf)))
        assert.deepStrictEqual(violations.map(({ id, kind }) => line(kind, id)).sort(), expected(content))
        assert.sameDeepMembers(violations.map(told), pair(fromPrompt(prompt)).violations.map(told))
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
