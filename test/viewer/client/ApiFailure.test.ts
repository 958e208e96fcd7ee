import { assert, describe, it } from "@effect/vitest"
import { advice, askedAgain, failureOf, obstacleOf } from "../../../src/viewer/client/ApiFailure.ts"

describe("ApiFailure", () => {
  it("says what is wrong and what to do, for every status", () => {
    const statuses = [400, 401, 403, 404, 429, 431, 500, 501, 502, 503]
    assert.deepStrictEqual(statuses.map(obstacleOf), [
      "wrong",
      "login",
      "refused",
      "nothing",
      "busy",
      "broken",
      "broken",
      "unanswered",
      "broken",
      "busy"
    ])
    for (const { remedy, title } of Object.values(advice)) {
      assert.match(title, /^[A-Z].*\.$/)
      assert.match(remedy, /^[A-Z].*\.$/)
    }
  })

  it("is asked again where the reader has nothing to do", () => {
    const again = (["wrong", "login", "refused", "nothing", "busy", "broken", "unanswered", "gone"] as const)
      .filter((obstacle) => askedAgain({ obstacle }) === "again")
    assert.deepStrictEqual(again, ["busy", "broken", "gone"])
  })

  it("takes what was thrown on the way for a server that has gone", () => {
    assert.deepStrictEqual(failureOf(new TypeError("Failed to fetch")), { obstacle: "gone", reason: "Failed to fetch" })
    assert.deepStrictEqual(failureOf(undefined), { obstacle: "gone" })
    const own = { obstacle: "busy", status: 503 } as const
    assert.strictEqual(failureOf(own), own)
  })
})
