import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Elapsed from "../../src/cli/Elapsed.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute

describe("duration", () => {
  for (
    const [millis, text] of [
      [0, "0 ms"],
      [0.0000001, "1 µs"],
      [0.85, "850 µs"],
      [1.25, "1.3 ms"],
      [12.4, "12 ms"],
      [999.4, "999 ms"],
      [999.6, "1 s"],
      [1250, "1.25 s"],
      [42_300, "42.3 s"],
      [59_949, "59.9 s"],
      [59_960, "1 min"],
      [3 * minute + 5 * second, "3 min 5 s"],
      [59 * minute + 59.7 * second, "1 h"],
      [2 * hour + 10 * minute, "2 h 10 min"],
      [23 * hour + 59.9 * minute, "1 d"],
      [97 * hour, "4 d 1 h"],
      [-1250, "-1.25 s"],
      [Infinity, "?"],
      [Number.NaN, "?"]
    ] as const
  ) {
    it(`says ${text} for ${millis} ms`, () => assert.strictEqual(Elapsed.duration(millis), text))
  }

  it("never says 60 of a unit that goes up to 59", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100 * hour, noNaN: true }),
        (millis) => !/\b(60 s|60 min|1000 ms|24 h)\b/.test(Elapsed.duration(millis))
      )
    )
  })
})

describe("offset", () => {
  for (
    const [millis, text] of [
      [0, "0"],
      [5, "+5 ms"],
      [-870, "-870 ms"],
      [1100, "+1.100 s"],
      [42_305, "+42.305 s"],
      [59_999.6, "+1:00.000"],
      [3 * minute + 5 * second + 120, "+3:05.120"],
      [26 * hour + 10 * minute + 5 * second, "+26:10:05"],
      [-(26 * hour), "-26:00:00"],
      [240 * hour, "+10 d"]
    ] as const
  ) {
    it(`says ${text} for ${millis} ms`, () => assert.strictEqual(Elapsed.offset(millis), text))
  }

  it("fits its column for ten years", () => {
    const years = 10 * 365 * 24 * hour
    fc.assert(
      fc.property(fc.double({ min: -years, max: years, noNaN: true }), (millis) => Elapsed.offset(millis).length <= 12)
    )
  })
})

describe("moment", () => {
  it("is a date and time in UTC", () => {
    assert.strictEqual(Elapsed.moment(1_772_356_323_120_000_007n), "2026-03-01 09:12:03.120 UTC")
    assert.strictEqual(Elapsed.shortMoment(1_772_356_323_120_000_007n), "03-01 09:12:03")
  })

  it("never fails for a 64-bit time", () => {
    fc.assert(fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (instant) => Elapsed.moment(instant).length > 0))
  })
})
