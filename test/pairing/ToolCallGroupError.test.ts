import { assert, describe, it } from "@effect/vitest"
import { ToolCallGroupError } from "../../src/pairing/ToolCallGroupError.ts"

const messages = {
  no_calls: "A group needs at least one call.",
  empty_id: "Each call needs an id that is not empty.",
  empty_name: "Call c1 needs the name of its tool.",
  duplicate_id: "Give one of the calls with id c1 another id.",
  orphan_result: "No call of the group has the id c1 of this result.",
  duplicate_result: "Call c1 has a result already; keep one.",
  renamed_tool: "The result of call c1 names another tool than the call does.",
  unanswered_call: "Call c1 has no result yet; answer it first."
} as const

describe("ToolCallGroupError", () => {
  it("says for each reason what is wrong and where", () => {
    for (const [reason, message] of Object.entries(messages)) {
      const error = new ToolCallGroupError({ reason: reason as keyof typeof messages, id: "c1" })
      assert.deepStrictEqual([error._tag, error.message], ["ToolCallGroupError", message])
    }
  })
})
