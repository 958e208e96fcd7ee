import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as DevLimits from "../../src/cli/DevLimits.ts"
import * as Retention from "../../src/store/Retention.ts"

describe("DevLimits", () => {
  it("reads sizes in decimal and binary units", () => {
    const sizes = ["1GiB", "1gib", "500MB", "1.5 GB", "1048576", "none"]
    assert.deepStrictEqual(
      sizes.map(DevLimits.parseSize),
      [1024 ** 3, 1024 ** 3, 500_000_000, 1_500_000_000, 1024 ** 2, null]
    )
    for (const text of ["", "0", "1", "1048575", "-1GB", "1e9", "GB", "1PB", "1 0MB", "infinity"]) {
      assert.isUndefined(DevLimits.parseSize(text), text)
    }
  })

  it("reads ages in minutes, hours and days", () => {
    const ages = ["7d", "12h", "30m", "1.5d"].map((text) => Duration.toMillis(DevLimits.parseAge(text)!))
    assert.deepStrictEqual(ages, [604_800_000, 43_200_000, 1_800_000, 129_600_000])
    assert.isNull(DevLimits.parseAge("none"))
    for (const text of ["", "7", "0d", "-1d", "1y", "d", "1 d 1"]) assert.isUndefined(DevLimits.parseAge(text), text)
  })

  it("says limits in words", () => {
    assert.strictEqual(DevLimits.said(Retention.defaults), "up to 1 GiB, for 7 days; then what came first makes room.")
    assert.strictEqual(
      DevLimits.said({ maxBytes: 200 * 1024 ** 2, maxAge: Duration.minutes(90) }),
      "up to 200 MiB, for 1.5 hours; then what came first makes room."
    )
    assert.strictEqual(
      DevLimits.said({ maxAge: Duration.minutes(5) }),
      "for 5 minutes; then what came first makes room."
    )
    assert.strictEqual(DevLimits.said({}), "without a limit.")
  })
})
