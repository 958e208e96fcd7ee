import { assert, describe, it } from "@effect/vitest"
import { extended, type Feed, patched, renewed } from "../../../src/viewer/client/CallFeed.ts"
import type { CallJson } from "../../../src/viewer/client/Wire.ts"

const call = (key: string, values: Partial<CallJson> = {}): CallJson => ({
  key,
  tool: "weather",
  known: true,
  providerExecuted: false,
  services: [],
  startedAt: "2026-03-01T09:12:03.120000000Z",
  endedAt: "2026-03-01T09:12:03.120000000Z",
  executions: 0,
  traces: [],
  faults: 0,
  ...values
})

const calls = (keys: string): ReadonlyArray<CallJson> => [...keys].map((key) => call(key))

const feed = (keys: string): Feed => ({ calls: calls(keys), total: 100, ready: true, next: "below" })

const page = (keys: string, next?: string) => ({
  calls: calls(keys),
  total: 7,
  ...(next === undefined ? {} : { next })
})

const keysOf = (feed: Feed): string => feed.calls.map(({ key }) => key).join("")

describe("the feed of the list", () => {
  it("puts the first page, as it is now, over what was there", () => {
    const now = renewed(feed("efghij"), page("cdef", "e"))
    assert.strictEqual(keysOf(now), "cdefghij")
    assert.strictEqual(now.next, "below")
    assert.strictEqual(now.total, 7)
    // One that no longer fits has gone, and one that came late stands in its place.
    assert.strictEqual(keysOf(renewed(feed("abcdef"), page("axcd", "e"))), "axcdef")
  })

  it("begins anew when all has changed, and when the page is all there is", () => {
    assert.deepStrictEqual(renewed(feed("efgh"), page("abcd", "e")), { ...page("abcd", "e"), ready: true })
    assert.deepStrictEqual(renewed(feed("abcdef"), page("ab")), { ...page("ab"), ready: true })
  })

  it("forgets a failure once there is an answer", () => {
    const failed: Feed = { ...feed("abcdef"), failure: { obstacle: "gone" } }
    assert.isUndefined(renewed(failed, page("abc", "d")).failure)
    assert.isUndefined(extended(failed, page("gh")).failure)
  })

  it("adds the next page once", () => {
    const now = extended(feed("abc"), page("cde", "f"))
    assert.strictEqual(keysOf(now), "abcde")
    assert.strictEqual(now.next, "f")
    assert.isUndefined(extended(feed("abc"), page("de")).next)
  })

  it("shows known calls as they are now, and drops those that no longer fit", () => {
    const before: Feed = { calls: ["a", "b"].map((key) => call(key, { state: "pending" })), total: 2, ready: true }
    const approved = call("b", { state: "approved", outcome: "success" })
    assert.deepStrictEqual(patched(before, [approved], {}).calls[1], approved)
    assert.strictEqual(keysOf(patched(before, [approved], { state: "pending" })), "a")
    assert.strictEqual(keysOf(patched(before, [approved], { outcome: "success" })), "ab")
    assert.strictEqual(patched(before, [call("c")], { state: "pending" }), before)
    const other = call("b", { conversation: "another", state: "denied" })
    assert.deepStrictEqual(patched(before, [other], { state: "pending" }), before)
  })
})
