import { assert, describe, it } from "@effect/vitest"
import { parse } from "../../src/query/Moment.ts"

const at = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n

describe("a moment", () => {
  it("is a date or a time, in UTC unless it says otherwise", () => {
    assert.strictEqual(parse("2026-03-01"), at("2026-03-01T00:00:00Z"))
    assert.strictEqual(parse("2026-03-01 09:12"), at("2026-03-01T09:12:00Z"))
    assert.strictEqual(parse("2026-03-01T09:12:03+02:00"), at("2026-03-01T07:12:03Z"))
    assert.strictEqual(parse("2026-03-01T09:12:03.123456789Z"), at("2026-03-01T09:12:03Z") + 123_456_789n)
    assert.strictEqual(parse("2024-02-29"), at("2024-02-29T00:00:00Z"))
  })

  it("is none that the calendar does not have", () => {
    for (
      const text of [
        "2026-02-30",
        "2026-02-29T10:00Z",
        "2026-04-31",
        "2026-13-01",
        "2026-00-10",
        "2026-01-01T25:00",
        "1969-12-31"
      ]
    ) {
      assert.isUndefined(parse(text), text)
    }
  })
})
