import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

describe("a property test", () => {
  it("draws as many items as it says", () => {
    const lengths = fc.sample(fc.array(fc.nat(), { maxLength: 60 }), 100).map((items) => items.length)
    assert.isAbove(Math.max(...lengths), 40)
  })
})
