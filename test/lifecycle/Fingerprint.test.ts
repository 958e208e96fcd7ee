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

  it("gives up on values of more than 4,096 nodes or 65,536 characters, and on no others", () => {
    const numbers = (length: number) => Array.from({ length }, () => 0)
    assert.isDefined(Fingerprint.make(numbers(4_095)))
    assert.isUndefined(Fingerprint.make(numbers(4_096)))
    assert.isUndefined(Fingerprint.make(numbers(50_000)))
    // A text has a mark of its kind, a list and an object that of their length.
    assert.isDefined(Fingerprint.make("x".repeat(65_535)))
    assert.isUndefined(Fingerprint.make("x".repeat(65_536)))
    for (const last of [[], {}]) {
      assert.isDefined(Fingerprint.make(["x".repeat(65_531), last]))
      assert.isUndefined(Fingerprint.make(["x".repeat(65_532), last]))
    }
    assert.isDefined(Fingerprint.make({ ["x".repeat(65_524)]: null }))
    assert.isUndefined(Fingerprint.make({ ["x".repeat(65_525)]: null }))
  })

  it("gives up on a value that holds what it gives up on, wherever that stands", () => {
    const refusing = new Proxy({}, {
      ownKeys: () => {
        throw new Error("no")
      }
    })
    for (const hidden of [new Date(0), refusing, { inner: new Map() }, Object.create({ inherited: 1 })]) {
      assert.isUndefined(Fingerprint.make(hidden))
      assert.isUndefined(Fingerprint.make([hidden, 1]))
      assert.isUndefined(Fingerprint.make({ first: hidden, second: 1 }))
    }
  })

  // Keys of stores hold fingerprints: another version of toolspan has to find them again.
  it("is the same value in every version", () => {
    const known: ReadonlyArray<readonly [unknown, string]> = [
      ["", "1qkl5ho.1xk1rsk"],
      ["lookup", "uh8adq.1uioxsm"],
      [0, "uq7tqk.1d6xhvc"],
      [-1.5, "a4rgkb.1ilw3mf"],
      [true, "xlz74d.7j4g1p"],
      [null, "1q7r9lt.168ssw1"],
      [undefined, "1btspjj.4whv5b"],
      [[], "10gi06t.nw5qrg"],
      [["a", "b"], "1432j5g.lqhiy1"],
      [{}, "1ukwjo5.12dhfrw"],
      [{ key: "alpha", list: [1, { deep: null }] }, "1tspxwf.19lbpwz"]
    ]
    for (const [value, fingerprint] of known) assert.strictEqual(Fingerprint.make(value), fingerprint, inspect(value))
  })
})
