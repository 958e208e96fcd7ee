import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { groupCalls } from "../../src/query/CallGroup.ts"
import * as Reading from "../../src/query/SpanReading.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { approvedCall, callValues, plainCall } from "./CallFixture.ts"
import { spanRow, type Values } from "./SpanBuilder.ts"

const sizes = (rows: ReadonlyArray<SpanRow>) =>
  groupCalls(rows).map((group) => group.rows.length).toSorted((a, b) => a - b)

const stage = (label: string, stage: string, at: number, extra: Values = {}) =>
  spanRow({
    label,
    name: stage,
    at,
    attributes: { ...callValues("call_0", "weather"), [Attribute.toolspanStage]: stage, ...extra }
  })

const inConversation = (conversation: string) => ({ [Attribute.genAiConversationId]: conversation })

describe("groupCalls", () => {
  for (const linkForm of ["both", "link", "twin"] as const) {
    it(`follows links across traces (${linkForm})`, () => {
      assert.deepStrictEqual(sizes(approvedCall("t1", { linkForm })), [5])
    })
  }

  it("keeps calls apart that only share an id", () => {
    const rows = [...plainCall("call_0"), ...plainCall("call_0", { a: "c", b: "d", at: 5000 })]
    assert.deepStrictEqual(sizes(rows), [3, 3])
  })

  it("keeps calls of two conversations in one trace apart", () => {
    const rows = [
      stage("a/one", "decision", 0, inConversation("x")),
      stage("a/two", "decision", 1, inConversation("y")),
      stage("a/three", "result", 2, inConversation("y"))
    ]
    assert.deepStrictEqual(sizes(rows), [1, 2])
  })

  it("joins by key within one conversation, across traces, when links are missing", () => {
    const rows = [
      stage("a/decision", "decision", 0, inConversation("x")),
      stage("b/execution", "execution", 900, inConversation("x")),
      stage("c/result", "result", 1000, inConversation("x"))
    ]
    assert.deepStrictEqual(sizes(rows), [3])
  })

  it("joins by key within one trace, but not across traces, when no conversation was named", () => {
    const rows = [stage("a/decision", "decision", 0), stage("a/result", "result", 5), stage("b/result", "result", 9)]
    assert.deepStrictEqual(sizes(rows), [1, 2])
  })

  it("never joins two decisions by key, and does not guess which one the rest belongs to", () => {
    const rows = [
      stage("a/first", "decision", 0, inConversation("x")),
      stage("b/second", "decision", 5, inConversation("x")),
      stage("c/result", "result", 9, inConversation("x"))
    ]
    assert.deepStrictEqual(sizes(rows), [1, 1, 1])
  })

  it("prefers the decision of the same trace where a conversation repeats a key", () => {
    const rows = [
      stage("a/first", "decision", 0, inConversation("x")),
      stage("b/second", "decision", 5, inConversation("x")),
      stage("b/result", "result", 9, inConversation("x"))
    ]
    assert.deepStrictEqual(sizes(rows), [1, 2])
  })

  it("does not join by key what its writer found ambiguous", () => {
    const rows = [
      stage("a/decision", "decision", 0, inConversation("x")),
      stage("a/result", "result", 5, { ...inConversation("x"), [Attribute.toolspanLinkAmbiguous]: true })
    ]
    assert.deepStrictEqual(sizes(rows), [1, 1])
  })

  it("does not join calls without an id across traces", () => {
    const noId = { ...inConversation("x"), [Attribute.toolspanCallKey]: "?1" }
    assert.deepStrictEqual(sizes([stage("a/one", "decision", 0, noId), stage("b/two", "result", 5, noId)]), [1, 1])
  })

  it("joins spans that point to the same span that never arrived", () => {
    const rows = ["b/one", "c/two"].map((label, index) =>
      spanRow({
        label,
        name: "execute_tool weather",
        at: index,
        attributes: { ...callValues("call_0", "weather"), [Attribute.toolspanStage]: "execution" },
        links: [["decided_by", "lost/call"]]
      })
    )
    assert.deepStrictEqual(sizes(rows), [2])
  })

  it("does not join two calls because one turn used both", () => {
    const one = plainCall("t1", { b: "used" })
    const two = plainCall("t2", { a: "c", b: "used" })
    assert.deepStrictEqual(sizes([...one, ...two]), [3, 3])
  })

  it("puts every stage span into exactly one group, and the order of arrival changes nothing", () => {
    const rows = [
      ...approvedCall("t1", { conversation: "x" }),
      ...plainCall("call_0"),
      ...plainCall("call_0", { a: "c", b: "d", at: 100, linkForm: "twin" }),
      stage("e/decision", "decision", 0, inConversation("x")),
      stage("f/result", "result", 0, inConversation("x")),
      stage("g/result", "result", 0, { ...inConversation("x"), [Attribute.toolspanLinkAmbiguous]: true })
    ]
    const shape = (groups: ReturnType<typeof groupCalls>) => groups.map((group) => group.rows.map(Reading.addressText))
    const expected = shape(groupCalls(rows))
    const stages = rows.filter((row) => Reading.stageOf(row) !== undefined).map(Reading.addressText)
    assert.deepStrictEqual(expected.flat().toSorted(), stages.toSorted())
    fc.assert(
      fc.property(fc.shuffledSubarray(rows, { minLength: rows.length }), (shuffled) => {
        assert.deepStrictEqual(shape(groupCalls(shuffled)), expected)
      })
    )
  })
})
