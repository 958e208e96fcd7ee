import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SpanReference from "../../src/lifecycle/SpanReference.ts"
import { TrackedCall } from "../../src/lifecycle/TrackedCall.ts"

const callOf = (conversation?: string, fingerprint?: string): TrackedCall =>
  new TrackedCall(
    {
      key: "a",
      id: "a",
      idSource: "provider",
      occurrence: 1,
      name: "lookup",
      requestedName: undefined,
      wireName: undefined,
      providerExecuted: false
    },
    "a",
    conversation,
    fingerprint
  )

describe("a tracked call", () => {
  it("has the conversation and the fingerprint that it was met with, and weighs nothing before it is remembered", () => {
    const call = callOf("chat 1", "print")
    assert.deepStrictEqual([call.hostId, call.conversation, call.fingerprint], ["a", "chat 1", "print"])
    assert.deepStrictEqual([call.rememberedAt, call.weight, call.dropped, call.decision], [0, 0, 0, undefined])
  })

  it.effect("keeps of its spans a reference, for links that lead to just this span", () =>
    Effect.gen(function*() {
      const [decided, run, resulted, answered] = yield* Effect.all(
        ["decided", "run", "resulted", "answered"].map((name) =>
          Effect.makeSpan(name, { attributes: { secret: name } })
        )
      )
      const call = callOf()
      call.decision = decided
      call.executed(run!)
      const result = call.resulted(resulted!)
      const approval = call.approval("ap1")
      call.answered(approval, false, answered!)
      const kept = [call.decision, call.executions[0], call.results[0]?.span, approval.answers[0]?.span]
      assert.deepStrictEqual(
        kept.map((span) => span?.spanId),
        [decided, run, resulted, answered].map((span) => span?.spanId)
      )
      // A reference to a reference is the same one: none of them is a whole span.
      for (const span of kept) assert.strictEqual(span && SpanReference.of(span), span)
      assert.strictEqual(call.results[0], result)
      assert.deepStrictEqual([result.call, result.index], [call, 0])
      assert.deepStrictEqual(approval.answers.map((answer) => answer.approved), [false])
      call.decision = undefined
      assert.isUndefined(call.decision)
    }))

  it.effect("gives a result of its own also to those that it keeps no more", () =>
    Effect.gen(function*() {
      const span = yield* Effect.makeSpan("resulted")
      const call = callOf()
      const results = Array.from({ length: 34 }, () => call.resulted(span))
      assert.deepStrictEqual(results.map((result) => result.index), [
        ...Array.from({ length: 32 }, (_, n) => n),
        32,
        32
      ])
      assert.deepStrictEqual(call.results, results.slice(0, 32))
    }))
})
