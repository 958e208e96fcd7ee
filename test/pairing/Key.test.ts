import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Key from "../../src/pairing/Key.ts"

describe("Key", () => {
  it("is the id itself for the first call with it", () => {
    assert.strictEqual(Key.ofId("toolu_1", 1), "toolu_1")
    assert.strictEqual(Key.ofId("193629320", 1), "193629320")
    assert.strictEqual(Key.ofId("a?b", 1), "a?b")
  })

  it("counts further calls", () => {
    assert.strictEqual(Key.ofId("c0", 2), "c0#2")
    assert.strictEqual(Key.ofId("c0", 12), "c0#12")
  })

  it("encodes what would make it ambiguous", () => {
    assert.strictEqual(Key.ofId("c0#2", 1), "c0%232")
    assert.strictEqual(Key.ofId("?1", 1), "%3F1")
    assert.strictEqual(Key.ofId("??", 1), "%3F?")
    assert.strictEqual(Key.ofId("100%", 3), "100%25#3")
    assert.strictEqual(Key.ofId("%23#%", 1), "%2523%23%25")
  })

  it("counts parts without an id", () => {
    assert.strictEqual(Key.ofMissing(1), "?1")
  })

  it("is another one for every other id and occurrence", () => {
    const id = fc.string({ unit: fc.constantFrom("%", "#", "?", "2", "a", "3"), minLength: 1, maxLength: 4 })
    const named = fc.oneof(
      fc.record({ id, occurrence: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ missing: fc.integer({ min: 1, max: 30 }) })
    )
    const keyOf = (one: { readonly id: string; readonly occurrence: number } | { readonly missing: number }) =>
      "missing" in one ? Key.ofMissing(one.missing) : Key.ofId(one.id, one.occurrence)
    fc.assert(
      fc.property(named, named, (one, two) => {
        assert.strictEqual(keyOf(one) === keyOf(two), JSON.stringify(one) === JSON.stringify(two))
      }),
      { numRuns: 2000 }
    )
  })
})
