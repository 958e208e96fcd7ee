import { assert, describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { callTable } from "../../src/cli/CallTable.ts"
import * as Column from "../../src/cli/Column.ts"
import { plain } from "../../src/cli/Style.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { groupCalls } from "../../src/query/CallGroup.ts"
import * as SpanIndex from "../../src/query/SpanIndex.ts"
import { summarize } from "../../src/query/ToolCall.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"

const callsOf = (rows: ReadonlyArray<SpanRow>) =>
  groupCalls(rows).map((group) => ({ ...summarize(group, SpanIndex.make(rows)), faults: 0 }))

const calls = callsOf([
  ...approvedCall("toolu_01SendMail"),
  ...plainCall("toolu_01Weather", { outcome: "failure", at: 1000 })
])

describe("callTable", () => {
  it("has a line for each call", () => {
    expect(callTable(calls, 100, plain).join("\n")).toMatchInlineSnapshot(`
      "DECIDED         ID                TOOL        APPROVAL         OUTCOME         MODEL
      03-01 09:12:04  toolu_01Weather   weather     -                failure 180 ms  claude-x
      03-01 09:12:03  toolu_01SendMail  send_email  approved 42.3 s  success 183 ms  claude-x"
    `)
  })

  it("lets the spare columns go first where space is short", () => {
    expect(callTable(calls, 64, plain).join("\n")).toMatchInlineSnapshot(`
      "ID                TOOL        APPROVAL         OUTCOME
      toolu_01Weather   weather     -                failure 180 ms
      toolu_01SendMail  send_email  approved 42.3 s  success 183 ms"
    `)
  })

  it("never cuts an ordinary id, and keeps to the width when the ids leave room for it", () => {
    fc.assert(fc.property(fc.integer({ min: 56, max: 200 }), (width) => {
      const lines = callTable(calls, width, plain)
      for (const line of lines) assert.isAtMost(Column.widthOf(line), width)
      assert.include(lines.join("\n"), "toolu_01SendMail")
    }))
  })

  it("is inert and one line a call, whatever the names", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (id, tool) => {
      const lines = callTable(callsOf(plainCall(id, { tool })), 80, plain)
      assert.lengthOf(lines, 2)
      for (const line of lines) assert.notMatch(line, /[\p{Cc}\p{Cf}\p{Cs}]/u)
    }))
  })
})
