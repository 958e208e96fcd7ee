import { assert, describe, it } from "@effect/vitest"
import * as Limit from "../../src/lifecycle/limit.ts"

describe("the limits of a span", () => {
  it("are those that the contract and the documentation promise", () => {
    assert.deepStrictEqual({ ...Limit }, {
      maximumConsumesLinks: 128,
      maximumViolationEvents: 20,
      maximumPreliminaryEvents: 32
    })
  })
})
