import { assert, describe, it } from "@effect/vitest"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import type { Limits } from "../../src/lifecycle/Ledger.ts"
import { Ledger } from "../../src/lifecycle/Ledger.ts"
import * as Refusal from "../../src/lifecycle/Refusal.ts"
import { TrackedCall } from "../../src/lifecycle/TrackedCall.ts"

const ids = [undefined, "", "a", "b", "__proto__"]

const callOf = (hostId: string | undefined, key = hostId ?? "?1", requestedName?: string): TrackedCall =>
  new TrackedCall(
    {
      key,
      id: hostId,
      idSource: "provider",
      occurrence: 1,
      name: "lookup",
      requestedName,
      wireName: undefined,
      providerExecuted: false
    },
    hostId,
    undefined,
    undefined
  )

const open = (ledger: Ledger): number => ledger.counts().open

/** A list, searched from the front. */
class SlowLedger {
  calls: Array<{ readonly call: TrackedCall; readonly since: number }> = []
  evicted = 0
  expired = 0

  expire(now: number, limits: Limits): void {
    while (this.calls.length > 0 && now - this.calls[0]!.since > limits.openCallTtlMillis) {
      this.calls.shift()
      this.expired++
    }
  }

  remember(call: TrackedCall, now: number, limits: Limits): void {
    if (this.calls.some((one) => one.call === call)) return
    this.expire(now, limits)
    this.calls.push({ call, since: now })
    while (this.calls.length > Math.max(0, limits.maxOpenCalls)) {
      this.calls.shift()
      this.evicted++
    }
  }

  forget(call: TrackedCall): void {
    this.calls = this.calls.filter((one) => one.call !== call)
  }

  withId(id: string, now: number, limits: Limits): ReadonlyArray<TrackedCall> {
    this.expire(now, limits)
    return this.calls.map((one) => one.call).filter((call) => call.hostId === id)
  }
}

type Step = readonly ["remember" | "forget" | "settle", number] | readonly ["find", number] | readonly ["wait", number]

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom("remember" as const, "forget" as const, "settle" as const), fc.nat(11)),
  fc.tuple(fc.constant("find" as const), fc.nat(ids.length - 1)),
  fc.tuple(fc.constant("wait" as const), fc.nat(60))
)

const anyLimits = fc.record({ maxOpenCalls: fc.integer({ min: -1, max: 6 }), openCallTtlMillis: fc.nat(200) })

describe("the ledger", () => {
  it("remembers, forgets and counts as a list would", () => {
    fc.assert(
      fc.property(anyLimits, fc.array(anyStep, { maxLength: 80 }), (limits, steps) => {
        const calls = Array.from({ length: 12 }, (_, index) => callOf(ids[index % ids.length]))
        // Every third call waits for nothing any more.
        for (const [index, call] of calls.entries()) {
          if (index % 3 !== 0) continue
          call.apply({ _tag: "ResultKnown", result: 0, outcome: "success", origin: "handler" })
          call.apply({ _tag: "ResultConsumed", result: 0 })
        }
        const ledger = new Ledger()
        const slow = new SlowLedger()
        let now = 1_000
        for (const [what, value] of steps) {
          const call = calls[value % calls.length]!
          switch (what) {
            case "remember":
              ledger.remember(call, now, limits)
              slow.remember(call, now, limits)
              break
            case "forget":
              ledger.forget(call)
              slow.forget(call)
              break
            case "settle":
              ledger.settle(call)
              if (calls.indexOf(call) % 3 === 0) slow.forget(call)
              break
            case "find": {
              const id = ids[value] ?? "nobody"
              // By their places: calls of one id look alike.
              const places = (found: ReadonlyArray<TrackedCall>) => found.map((one) => calls.indexOf(one))
              assert.deepStrictEqual(places(ledger.withId(id, now, limits)), places(slow.withId(id, now, limits)))
              break
            }
            case "wait":
              now += value
              break
          }
          const { evicted, expired, open } = ledger.counts()
          assert.deepStrictEqual({ evicted, expired, open }, {
            evicted: slow.evicted,
            expired: slow.expired,
            open: slow.calls.length
          })
          assert.isAtMost(open, Math.max(0, limits.maxOpenCalls))
        }
      }),
      { numRuns: 2000 }
    )
  })

  it("stays bounded when clocks go backwards", () => {
    fc.assert(
      fc.property(anyLimits, fc.array(fc.tuple(fc.nat(30), fc.integer())), (limits, steps) => {
        const calls = Array.from({ length: 31 }, () => callOf("a"))
        const ledger = new Ledger()
        for (const [index, now] of steps) {
          ledger.remember(calls[index]!, now, limits)
          const { open } = ledger.counts()
          assert.isAtMost(open, Math.max(0, limits.maxOpenCalls))
          const found = ledger.withId("a", now, limits)
          assert.strictEqual(found.length, ledger.counts().open)
          assert.strictEqual(new Set(found).size, found.length)
        }
      })
    )
  })

  it("does not grow by a hundred thousand abandoned calls, and drops the oldest", () => {
    const ledger = new Ledger()
    const limits = { maxOpenCalls: 100, openCallTtlMillis: 1_000_000 }
    for (let index = 0; index < 100_000; index++) ledger.remember(callOf(`call_${index}`), index, limits)
    assert.deepStrictEqual(ledger.counts(), { open: 100, evicted: 99_900, expired: 0, dropped: 0, refused: {} })
    assert.strictEqual(ledger.withId("call_99899", 100_000, limits).length, 0)
    assert.strictEqual(ledger.withId("call_99900", 100_000, limits).length, 1)
  })

  it("remembers at most 1,024 calls of one id, the latest", () => {
    const ledger = new Ledger()
    const limits = { maxOpenCalls: 10_000, openCallTtlMillis: 1_000_000 }
    const calls = Array.from({ length: 1_025 }, () => callOf("call_0"))
    ledger.remember(callOf("other"), 0, limits)
    for (const call of calls) ledger.remember(call, 0, limits)
    assert.deepStrictEqual(ledger.withId("call_0", 0, limits), calls.slice(1))
    const { evicted, open } = ledger.counts()
    assert.deepStrictEqual({ evicted, open }, { evicted: 1, open: 1_025 })
  })

  it("lets the oldest calls go when their ids are too long together, and never takes one that is too long alone", () => {
    const ledger = new Ledger()
    const limits = { maxOpenCalls: 1_000, openCallTtlMillis: 1_000_000 }
    // Key and id count: ten of these are 200,000 characters of the 256,000 that a thousand calls may have.
    for (let index = 0; index < 30; index++) ledger.remember(callOf(`${index}`.padEnd(10_000, "x")), 0, limits)
    assert.strictEqual(ledger.counts().open, 12)
    ledger.remember(callOf("y".repeat(200_000)), 0, limits)
    assert.deepStrictEqual(ledger.withId("y".repeat(200_000), 0, limits), [])
    assert.strictEqual(ledger.counts().open, 12)
    assert.strictEqual(ledger.counts().evicted, 19)
    for (let index = 18; index < 30; index++) {
      const [call] = ledger.withId(`${index}`.padEnd(10_000, "x"), 0, limits)
      assert.isDefined(call)
      ledger.forget(call!)
    }
    assert.strictEqual(ledger.counts().open, 0)
    for (let index = 0; index < 12; index++) ledger.remember(callOf(`${index}`.padEnd(10_000, "x")), 0, limits)
    assert.strictEqual(ledger.counts().evicted, 19)
  })

  it("counts key, id, invented name and approval ids of a call, to the character", () => {
    const few = { maxOpenCalls: 1, openCallTtlMillis: 1_000 }
    const heaviest = (more: number): ReadonlyArray<TrackedCall> => {
      const asked = callOf(undefined, "x".repeat(65_000))
      asked.approval("y".repeat(500))
      asked.approval("z".repeat(36 + more))
      return [
        callOf(undefined, "x".repeat(65_536 + more)),
        callOf("x".repeat(65_000), "y".repeat(536 + more)),
        callOf(undefined, "x".repeat(65_000), "y".repeat(536 + more)),
        asked
      ]
    }
    for (const [index, call] of heaviest(0).entries()) {
      const ledger = new Ledger()
      ledger.remember(call, 0, few)
      assert.strictEqual(open(ledger), 1, String(index))
    }
    for (const [index, call] of heaviest(1).entries()) {
      const ledger = new Ledger()
      ledger.remember(call, 0, few)
      assert.strictEqual(open(ledger), 0, String(index))
    }
    const many = { maxOpenCalls: 1_000, openCallTtlMillis: 1_000 }
    const remembered = [256_000, 256_001].map((length) => {
      const ledger = new Ledger()
      ledger.remember(callOf(undefined, "x".repeat(length)), 0, many)
      return open(ledger)
    })
    assert.deepStrictEqual(remembered, [1, 0])
  })

  it("has room for calls up to the last character, and makes as much as one more needs", () => {
    const limits = { maxOpenCalls: 100, openCallTtlMillis: 1_000 }
    const ledger = new Ledger()
    const calls = [20_000, 20_000, 25_536].map((length) => callOf(undefined, "x".repeat(length)))
    for (const call of calls) ledger.remember(call, 0, limits)
    assert.deepStrictEqual([open(ledger), ledger.counts().evicted], [3, 0])
    // Each goes once: what was forgotten twice makes no room twice.
    for (let times = 0; times < 3; times++) ledger.forget(calls[0]!)
    ledger.remember(callOf(undefined, "y".repeat(20_000)), 0, limits)
    assert.deepStrictEqual([open(ledger), ledger.counts().evicted], [3, 0])
    ledger.remember(callOf(undefined, "z"), 0, limits)
    assert.deepStrictEqual([open(ledger), ledger.counts().evicted], [3, 1])
    ledger.remember(callOf(undefined, "z".repeat(65_536)), 0, limits)
    assert.deepStrictEqual([open(ledger), ledger.counts().evicted], [1, 4])
  })

  it("lets the oldest go, also when a younger one was forgotten before", () => {
    const limits = { maxOpenCalls: 3, openCallTtlMillis: 1_000 }
    const ledger = new Ledger()
    const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((id) => callOf(id))
    for (const call of [a!, b!, c!]) ledger.remember(call, 0, limits)
    ledger.forget(b!)
    for (const call of [d!, e!]) ledger.remember(call, 0, limits)
    assert.deepStrictEqual(["a", "b", "c", "d", "e"].map((id) => ledger.withId(id, 0, limits).length), [0, 0, 1, 1, 1])
  })

  it("remembers any number of calls that have no id", () => {
    const limits = { maxOpenCalls: 10_000, openCallTtlMillis: 1_000 }
    const ledger = new Ledger()
    for (let index = 0; index < 2_000; index++) ledger.remember(callOf(undefined), 0, limits)
    assert.strictEqual(open(ledger), 2_000)
  })

  it("counts what a call had too many of while it was remembered", () => {
    const ledger = new Ledger()
    const call = callOf("a")
    ledger.remember(call, 0, { maxOpenCalls: 10, openCallTtlMillis: 1_000 })
    for (let index = 0; index < 33; index++) call.approval(`approval_${index}`)
    assert.strictEqual(ledger.counts().dropped, 0)
    ledger.forget(call)
    assert.strictEqual(ledger.counts().dropped, 1)
  })

  it("counts the approvals and answers that a call had too many of", () => {
    const ledger = new Ledger()
    const call = callOf("a")
    const span = Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "1".repeat(16) })
    for (let index = 0; index < 40; index++) call.answered(call.approval(`approval_${index}`), true, span)
    for (let index = 0; index < 40; index++) call.answered(call.approval("approval_39"), false, span)
    assert.deepStrictEqual(
      call.approvals.map((approval) => approval.approvalId),
      Array.from({ length: 32 }, (_, index) => `approval_${index + 8}`)
    )
    assert.strictEqual(call.approval("approval_39").answers.length, 32)
    ledger.remember(call, 0, { maxOpenCalls: 10, openCallTtlMillis: 1_000 })
    assert.strictEqual(ledger.counts().dropped, 8 + 9)
    ledger.forget(call)
    assert.strictEqual(ledger.counts().dropped, 8 + 9)
  })

  it("counts refusals by their reason, and gives away a copy of its counts", () => {
    const ledger = new Ledger()
    ledger.refuse(Refusal.make("unknown_result"))
    ledger.refuse(Refusal.make("unknown_result"))
    ledger.refuse(Refusal.make("already_decided"))
    const counts = ledger.counts()
    ledger.refuse(Refusal.make("already_decided"))
    assert.deepStrictEqual(counts.refused, { unknown_result: 2, already_decided: 1 })
    assert.deepStrictEqual(ledger.counts().refused, { unknown_result: 2, already_decided: 2 })
  })
})
