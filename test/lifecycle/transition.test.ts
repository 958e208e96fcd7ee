import { assert, describe, it } from "@effect/vitest"
import * as Tracer from "effect/Tracer"
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

  it("follow 32 executions and 32 results of a call, and refuse what is said of more", () => {
    const identity: Call.Identity = {
      key: "a",
      id: "a",
      idSource: "provider",
      occurrence: 1,
      name: "lookup",
      requestedName: undefined,
      wireName: undefined,
      providerExecuted: false
    }
    const tracked = new TrackedCall(identity, "a", undefined, undefined)
    const span = Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "1".repeat(16) })
    const refused = Array.from({ length: 40 }, () => {
      const execution = tracked.executions.length
      const result = tracked.results.length
      const said = [
        tracked.apply({ _tag: "ExecutionStarted", execution }),
        tracked.apply({ _tag: "PreliminaryReported", execution }),
        tracked.apply({ _tag: "ExecutionEnded", execution, outcome: "success" }),
        tracked.apply({ _tag: "ResultKnown", result, outcome: "success", origin: "handler" }),
        tracked.apply({ _tag: "ResultConsumed", result })
      ]
      tracked.executed(span)
      tracked.resulted(span)
      return said.map((refusal) => refusal?.reason)
    })
    const nothing: ReadonlyArray<Refusal.Reason | undefined> = [undefined, undefined, undefined, undefined, undefined]
    const runs = "too_many_executions"
    const results = "too_many_results"
    const expected: ReadonlyArray<ReadonlyArray<Refusal.Reason | undefined>> = [
      ...Array.from({ length: 32 }, () => nothing),
      ...Array.from({ length: 8 }, () => [runs, runs, runs, results, results] as const)
    ]
    assert.deepStrictEqual<ReadonlyArray<ReadonlyArray<Refusal.Reason | undefined>>>(refused, expected)
    assert.strictEqual(tracked.call.executions.length, 32)
    assert.strictEqual(tracked.executions.length, 32)
    assert.strictEqual(tracked.results.length, 32)
    assert.isFalse(Call.isOpen(tracked.call))
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
    assert.isFalse(Refusal.isRefusal({ _tag: "ToolCall" }))
  })
})
