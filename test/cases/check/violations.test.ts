import { assert, describe, it } from "@effect/vitest"
import type { ExpectedViolation } from "../case-file.ts"
import { makeEvent, makeSpan } from "./sample.ts"
import { checkViolations, toldBy, type ToldViolation } from "./violations.ts"

const told = (fields: Partial<ToldViolation> = {}): ToldViolation => ({
  kind: "duplicate_id",
  id: "a",
  scope: "response",
  key: "a#2",
  approval: undefined,
  other_name: undefined,
  truncated: undefined,
  ...fields
})

const expected = (fields: Partial<ExpectedViolation> = {}): ExpectedViolation => ({
  kind: "duplicate_id",
  id: "a",
  scope: "response",
  count: 1,
  ...fields
})

const holds = (one: ReadonlyArray<ExpectedViolation>, two: ReadonlyArray<ToldViolation>) =>
  assert.deepStrictEqual(checkViolations(one, two), [])
const fails = (one: ReadonlyArray<ExpectedViolation>, two: ReadonlyArray<ToldViolation>) =>
  assert.isAbove(checkViolations(one, two).length, 0)

describe("violations", () => {
  it("equal multisets hold", () => {
    holds([], [])
    holds([expected({ count: 2 })], [told(), told()])
    holds([expected({ key: "a#2", approval: null, truncated: null })], [told()])
  })

  it("one more, one less and another kind, id or scope are caught", () => {
    fails([], [told()])
    fails([expected()], [])
    fails([expected()], [told(), told()])
    fails([expected({ count: 2 })], [told()])
    fails([expected()], [told({ kind: "duplicate_result" })])
    fails([expected()], [told({ id: "b" })])
    fails([expected()], [told({ scope: "wire" })])
  })

  it("a null id is no such attribute, not an empty one", () => {
    holds([expected({ id: null })], [told({ id: undefined })])
    fails([expected({ id: null })], [told({ id: "" })])
    fails([expected({ id: "" })], [told({ id: undefined })])
  })

  it("the further fields must hold, null as absent", () => {
    fails([expected({ key: "a" })], [told()])
    fails([expected({ key: null })], [told()])
    fails([expected({ approval: "ap1" })], [told()])
    fails([expected({ truncated: true })], [told()])
    fails([expected({ truncated: null })], [told({ truncated: true })])
    fails([expected({ key: { matches: "^\\?\\d+$" } })], [told()])
    holds([expected({ key: { matches: "#2$" } })], [told()])
  })

  it("entries that differ only in a key are matched one to one", () => {
    holds([expected(), expected({ key: "a#2" })], [told({ key: "a#2" }), told({ key: "a#3" })])
    fails([expected({ key: "a#2" }), expected({ key: "a#2" })], [told({ key: "a#2" }), told({ key: "a#3" })])
  })

  it("are read from the events of any span", () => {
    const event = makeEvent("toolspan.violation", {
      "toolspan.violation.kind": "empty_id",
      "toolspan.violation.scope": "response",
      "toolspan.call.key": "?1"
    })
    const spans = [
      makeSpan("chat m", { events: [event, makeEvent("exception", {})] }),
      makeSpan("app", { events: [event] })
    ]
    holds([expected({ kind: "empty_id", id: null, key: "?1", count: 2 })], toldBy(spans))
  })
})
