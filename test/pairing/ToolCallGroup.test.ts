import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { check } from "../../src/pairing/Check.ts"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import * as GroupMessages from "../../src/pairing/GroupMessages.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import * as ToolCallGroup from "../../src/pairing/ToolCallGroup.ts"
import type { ToolCallGroupError } from "../../src/pairing/ToolCallGroupError.ts"
import { assistant, call, result, tool } from "./Prompt.ts"

const one = (id: string, name = "lookup") => ({ id, name, params: { key: "alpha" } })
const value = (id: string, more: object = {}) => ({ id, isFailure: false, result: "v", ...more })
const group = Result.getOrThrow(ToolCallGroup.make([one("a"), one("b")]))
const reason = (outcome: Result.Result<unknown, ToolCallGroupError>): string =>
  Result.match(outcome, { onSuccess: () => "made", onFailure: (error) => `${error.reason} ${error.id}` })

describe("ToolCallGroup", () => {
  it("refuses calls that break it", () => {
    assert.strictEqual(reason(ToolCallGroup.make([])), "no_calls ")
    assert.strictEqual(reason(ToolCallGroup.make([one("")])), "empty_id ")
    assert.strictEqual(reason(ToolCallGroup.make([one("a", "")])), "empty_name a")
    assert.strictEqual(reason(ToolCallGroup.make([one("a"), one("a")])), "duplicate_id a")
  })

  it("refuses results that break it, and stays as it is", () => {
    assert.strictEqual(reason(ToolCallGroup.answer(group, value("c"))), "orphan_result c")
    assert.strictEqual(reason(ToolCallGroup.answer(group, value("a"), value("a"))), "duplicate_result a")
    assert.strictEqual(reason(ToolCallGroup.answer(group, value("a", { name: "ping" }))), "renamed_tool a")
    assert.strictEqual(reason(ToolCallGroup.answer(group, value("a", { name: "" }))), "made")
    assert.strictEqual(reason(ToolCallGroup.answer(group, value("a", { name: "lookup" }))), "made")
    assert.strictEqual(group.results.size, 0)
    assert.strictEqual(ToolCallGroup.open(group).length, 2)
  })

  it("does not change with the list that it was made from", () => {
    const calls = [one("a")]
    const made = Result.getOrThrow(ToolCallGroup.make(calls))
    calls.push(one("a"))
    assert.strictEqual(made.calls.length, 1)
  })

  it("is complete when every call is answered", () => {
    const half = Result.getOrThrow(ToolCallGroup.answer(group, value("b")))
    assert.deepStrictEqual(ToolCallGroup.open(half).map((call) => call.id), ["a"])
    assert.strictEqual(reason(ToolCallGroup.complete(half)), "unanswered_call a")
    const answered = Result.getOrThrow(
      ToolCallGroup.complete(ToolCallGroup.answerRest(half, (call) => `lost ${call.id}`))
    )
    assert.deepStrictEqual(answered.map((each) => [each.call.id, each.result.isFailure, each.result.result]), [
      ["a", true, "lost a"],
      ["b", false, "v"]
    ])
  })

  it("says how to mend what it refuses", () => {
    const refused = ToolCallGroup.answer(group, value("c"))
    assert.isTrue(Result.isFailure(refused))
    if (Result.isFailure(refused)) {
      assert.strictEqual(refused.failure._tag, "ToolCallGroupError")
      assert.match(refused.failure.message, /^No call of the group has the id c /)
    }
  })

  it("comes out of a message of a history, unless the message is broken", () => {
    const history = pair(fromPrompt([
      assistant(call("a"), call("s", "web_search", { providerExecuted: true }), call("b")),
      tool(result("b")),
      assistant(call("d"), call("d"))
    ]))
    const made = Result.getOrThrow(ToolCallGroup.fromPairing(history, 0))
    assert.deepStrictEqual(made.calls.map((each) => each.id), ["a", "b"])
    assert.deepStrictEqual(ToolCallGroup.open(made).map((each) => each.id), ["a"])
    assert.strictEqual(reason(ToolCallGroup.fromPairing(history, 1)), "no_calls ")
    assert.strictEqual(reason(ToolCallGroup.fromPairing(history, 2)), "duplicate_id d")
  })
})

const writers = {
  effect: GroupMessages.toPrompt,
  anthropic: GroupMessages.toAnthropic,
  "chat-completions": GroupMessages.toChatCompletions,
  responses: GroupMessages.toResponses
} as const

describe("a written group", () => {
  const arbitrary = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }).chain((ids) =>
    fc.tuple(
      fc.constant(ids),
      fc.array(fc.jsonValue(), { minLength: ids.length, maxLength: ids.length }),
      fc.array(fc.jsonValue(), { minLength: ids.length, maxLength: ids.length }),
      fc.boolean()
    )
  )

  for (
    const [format, write] of Object.entries(writers) as ReadonlyArray<[keyof typeof writers, typeof writers.effect]>
  ) {
    it(`has no violation as ${format}`, () => {
      fc.assert(fc.property(arbitrary, ([ids, params, results, isFailure]) => {
        const made = Result.getOrThrow(
          ToolCallGroup.make(ids.map((id, n) => ({ id, name: "lookup", params: params[n] })))
        )
        const answers = ids.map((id, n) => ({ id, isFailure, result: results[n] })).toReversed()
        const written = Result.getOrThrow(write(Result.getOrThrow(ToolCallGroup.answer(made, ...answers))))
        assert.deepStrictEqual(check(JSON.parse(JSON.stringify(written)), { format }), [])
        assert.isAbove(written.length, 1)
      }))
    })

    it(`is not to be had as ${format} while a call is open`, () => {
      assert.strictEqual(reason(write(group)), "unanswered_call a")
    })
  }
})
