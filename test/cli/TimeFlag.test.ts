import { assert, describe, it } from "@effect/vitest"
import { parse } from "../../src/cli/TimeFlag.ts"

const now = 1_800_000_000_000_000_000n

describe("a time flag", () => {
  it("takes how long ago", () => {
    assert.strictEqual(parse("90s", now), now - 90_000_000_000n)
    assert.strictEqual(parse("15m", now), now - 900_000_000_000n)
    assert.strictEqual(parse("2h", now), now - 7_200_000_000_000n)
    assert.strictEqual(parse("7d", now), now - 604_800_000_000_000n)
    assert.strictEqual(parse("0s", now), now)
    assert.strictEqual(parse("999999999d", now), 0n)
  })

  it("takes a date or time", () => {
    assert.strictEqual(parse("2026-03-01T09:12Z", now), BigInt(Date.UTC(2026, 2, 1, 9, 12)) * 1_000_000n)
  })

  it("takes nothing else", () => {
    for (const text of ["", "1", "1w", "-1h", "1.5h", "h", "1 h", "1h30m", "9999999999d", "yesterday", "2026-02-30"]) {
      assert.isUndefined(parse(text, now), text)
    }
  })
})
