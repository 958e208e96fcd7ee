import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inspect } from "node:util"
import * as Fingerprint from "../../src/lifecycle/Fingerprint.ts"

/** JSON with the keys of each object in order: equal texts for equal values. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{${
    Object.entries(value).toSorted(([one], [other]) => one < other ? -1 : 1)
      .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(",")
  }}`
}

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  const made: Record<string, unknown> = Object.create(null)
  for (const [key, inner] of Object.entries(value).toReversed()) made[key] = reversed(inner)
  return made
}

// Few leaves, so that equal values and near misses are common.
const near: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("", "a", "ab", "1", "null", "s", "[0", "{0", 0, 1, -1, 1.5, true, false, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "ab", "1", ""), tie("value"), { maxKeys: 3 })
  )
})).value

describe("the fingerprint", () => {
  it("is equal exactly for equal JSON values", () => {
    fc.assert(
      fc.property(
        near,
        near,
        (one, other) =>
          assert.strictEqual(Fingerprint.make(one) === Fingerprint.make(other), canonical(one) === canonical(other))
      ),
      { numRuns: 20_000 }
    )
  })

  it("is the same after a round through JSON, whatever the order of keys", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const fingerprint = Fingerprint.make(value)
        assert.isDefined(fingerprint)
        assert.strictEqual(Fingerprint.make(JSON.parse(JSON.stringify(value))), fingerprint)
        assert.strictEqual(Fingerprint.make(reversed(value)), fingerprint)
      }),
      { numRuns: 1000 }
    )
  })

  it("never throws, and tells two unlike values apart or gives up", () => {
    fc.assert(fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }), (value) => {
      Fingerprint.make(value)
    }))
    const throwing = {
      get secret(): string {
        throw new Error("no")
      }
    }
    const cyclic: Array<unknown> = []
    cyclic.push(cyclic)
    assert.isUndefined(Fingerprint.make(throwing))
    assert.isUndefined(Fingerprint.make(cyclic))
    const unlike = [
      new Date(1),
      new Date(2),
      new Map([[1, 2]]),
      new Map([[1, 3]]),
      new Set([1]),
      new Set([2]),
      new URL("http://one.example"),
      new URL("http://two.example"),
      /one/,
      /two/,
      {},
      1n,
      2n,
      "1",
      1,
      undefined
    ]
    for (const one of unlike) {
      for (const other of unlike) {
        if (one === other || Fingerprint.make(one) === undefined) continue
        assert.notStrictEqual(Fingerprint.make(one), Fingerprint.make(other), `${inspect(one)} and ${inspect(other)}`)
      }
    }
  })

  it("gives up on values that are too large, and says so quickly", () => {
    assert.isUndefined(Fingerprint.make("x".repeat(70_000)))
    assert.isUndefined(Fingerprint.make(Array.from({ length: 5_000 }, (_, index) => index)))
    assert.isDefined(Fingerprint.make("x".repeat(60_000)))
  })
})
