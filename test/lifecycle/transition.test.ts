import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Refusal from "../../src/lifecycle/Refusal.ts"
import type { Signal } from "../../src/lifecycle/Signal.ts"
import * as Call from "../../src/lifecycle/ToolCall.ts"
import { TrackedCall } from "../../src/lifecycle/TrackedCall.ts"
import { transition } from "../../src/lifecycle/transition.ts"
import * as Slow from "./SlowCall.ts"

const signals = fc.array(Slow.anySignal, { maxLength: 40 })

const runs = { numRuns: 2000 }

const frozen = <A>(value: A): A => {
  if (typeof value !== "object" || value === null) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}

describe("any signals in any order", () => {
  it("end in the state of the slow model, or in its refusal", () => {
    fc.assert(
      fc.property(Slow.anyIdentity, signals, (identity, all) => {
        const accepted: Array<Signal> = []
        let call = frozen(Call.make(identity))
        for (const signal of all) {
          const next = transition(call, signal)
          const refused = Slow.refusal(accepted, signal)
          if (refused === undefined) {
            assert.isFalse(Refusal.isRefusal(next))
            accepted.push(signal)
            call = frozen(next as Call.ToolCall)
          } else {
            assert.deepStrictEqual(next, { _tag: "Refusal", reason: refused })
          }
          assert.deepStrictEqual(call, Slow.state(identity, accepted))
          assert.strictEqual(Call.isOpen(call), Slow.waits(identity, accepted))
        }
      }),
      runs
    )
  })

  it("end each execution once and consume each result once", () => {
    fc.assert(
      fc.property(Slow.anyIdentity, signals, (identity, all) => {
        const tracked = new TrackedCall(identity, identity.id, undefined, undefined)
        const accepted = all.filter((signal) => tracked.apply(signal) === undefined)
        const tellings = accepted.flatMap((signal) =>
          signal._tag === "ExecutionEnded"
            ? [`ended ${signal.execution}`]
            : signal._tag === "ResultConsumed"
            ? [`consumed ${signal.result}`]
            : signal._tag === "Decided"
            ? ["decided"]
            : []
        )
        assert.deepStrictEqual(tellings, [...new Set(tellings)])
      }),
      runs
    )
  })
})

describe("a tracked call", () => {
  it("says why it refuses, and stays as it was", () => {
    fc.assert(
      fc.property(Slow.anyIdentity, signals, (identity, all) => {
        const tracked = new TrackedCall(identity, identity.id, "conversation", "fingerprint")
        const accepted: Array<Signal> = []
        for (const signal of all) {
          const before = tracked.call
          const refused = tracked.apply(signal)
          assert.strictEqual(refused?.reason, Slow.refusal(accepted, signal))
          if (refused === undefined) accepted.push(signal)
          else assert.strictEqual(tracked.call, before)
        }
      })
    )
  })

  it("has one approval for each approval id", () => {
    fc.assert(
      fc.property(Slow.anyIdentity, fc.array(fc.constantFrom("", "ap1", "ap2", "__proto__")), (identity, ids) => {
        const tracked = new TrackedCall(identity, identity.id, undefined, undefined)
        for (const id of ids) assert.strictEqual(tracked.approval(id), tracked.approval(id))
        assert.deepStrictEqual(tracked.approvals.map((approval) => approval.approvalId), [...new Set(ids)])
      })
    )
  })
})

describe("a refusal", () => {
  it("is one value for each reason, and no call", () => {
    for (const reason of Refusal.reasons) {
      assert.strictEqual(Refusal.make(reason), Refusal.make(reason))
      assert.isTrue(Refusal.isRefusal(Refusal.make(reason)))
    }
    fc.assert(fc.property(Slow.anyIdentity, (identity) => assert.isFalse(Refusal.isRefusal(Call.make(identity)))))
  })
})
