import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { format, Instant, millisBetween } from "../../src/query/Instant.ts"

const encode = Schema.encodeSync(Instant)
const decode = Schema.decodeUnknownSync(Instant)

describe("Instant", () => {
  it("is a date with nine digits after the second", () => {
    assert.strictEqual(encode(1_772_356_323_120_000_007n), "2026-03-01T09:12:03.120000007Z")
    assert.strictEqual(encode(0n), "1970-01-01T00:00:00.000000000Z")
  })

  it("comes back from JSON to the nanosecond, whatever a span claims, up to the last date there is", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 8_640_000_000_000n * 1_000_000_000n), (instant) => decode(encode(instant)) === instant)
    )
  })

  it("never fails to format a 64-bit time", () => {
    fc.assert(fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (instant) => decode(format(instant)) === instant))
  })

  it("sorts as text in the order of time within the years of four digits", () => {
    const last = 253_402_300_799_999_999_999n
    fc.assert(
      fc.property(fc.bigInt(0n, last), fc.bigInt(0n, last), (a, b) => (a < b) === (format(a) < format(b)))
    )
  })

  it("refuses what is no such text", () => {
    for (const text of ["", "now", "2026-03-01T09:12:03Z", "2026-03-01T09:12:03.120Z", "1772356323120"]) {
      assert.throws(() => decode(text))
    }
  })

  it("measures in milliseconds with their fraction, backwards too", () => {
    assert.strictEqual(millisBetween(1_000_000n, 2_500_000n), 1.5)
    assert.strictEqual(millisBetween(2_500_000n, 1_000_000n), -1.5)
  })
})
