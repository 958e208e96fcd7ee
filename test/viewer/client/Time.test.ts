import { assert, describe, it } from "@effect/vitest"
import { format } from "../../../src/query/Instant.ts"
import * as Time from "../../../src/viewer/client/Time.ts"

describe("Time", () => {
  it("says durations as people do", () => {
    const said = [0, 0.0004, 0.85, 9.94, 12.4, 999.4, 1250, 42_300, 185_000, 7_800_000, 349_200_000, -12, Number.NaN]
    assert.deepStrictEqual(said.map(Time.duration), [
      "0 ms",
      "1 µs",
      "850 µs",
      "9.9 ms",
      "12 ms",
      "999 ms",
      "1.25 s",
      "42.3 s",
      "3 min 5 s",
      "2 h 10 min",
      "4 d 1 h",
      "−12 ms",
      "?"
    ])
    assert.deepStrictEqual([0, 5, -42_300].map(Time.offset), ["0", "+5 ms", "−42.3 s"])
  })

  it("reads durations that people write", () => {
    assert.deepStrictEqual(["500", " 20 ms ", "2.5s", "3 min", "1h", "soon", "", "-1", "1e9"].map(Time.millisIn), [
      500,
      20,
      2500,
      180_000,
      3_600_000,
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })

  it("reads what fields for date and time hold, and writes it back", () => {
    for (const instant of ["2026-03-01T09:12:00.000Z", "2026-12-31T23:59:58.000Z"]) {
      assert.strictEqual(Time.instantOf(Time.fieldOf(instant)), instant)
    }
    assert.strictEqual(Time.instantOf(""), "")
    assert.strictEqual(Time.fieldOf("yesterday"), "")
    assert.strictEqual(Time.fieldOf(undefined), "")
  })

  it("reads the instants of the API, the far ones too", () => {
    for (
      const nanos of [0n, 1_772_356_323_120_000_000n, 18_446_744_073_709_551_615n, 300_000_000_000n * 1_000_000_000n]
    ) {
      assert.strictEqual(Math.floor(Time.millisOf(format(nanos))), Number(nanos / 1_000_000n))
    }
    assert.isNaN(Time.millisOf("yesterday"))
    assert.strictEqual(Time.clock("yesterday"), "?")
    assert.strictEqual(Time.day("yesterday"), "?")
  })

  it("keeps the fraction of a millisecond", () => {
    assert.approximately(Time.millisOf("1970-01-01T00:00:01.000250000Z"), 1000.25, 1e-6)
  })
})
