import { assert, describe, it } from "@effect/vitest"
import { missingRequirement } from "../../src/cli/Requirement.ts"

describe("missingRequirement", () => {
  it("is content with Node 22.15 and effect 4.1, and what comes after them", () => {
    for (const node of ["22.15.0", "22.19.1", "24.0.0", "100.0.0"]) {
      for (const effect of ["4.1.0", "4.1.0-beta.1", "4.12.3", "5.0.0"]) {
        assert.strictEqual(missingRequirement({ node, effect }), undefined)
      }
    }
  })

  it("names the Node that is too old", () => {
    for (const node of ["22.14.9", "20.20.2", "9.9.9"]) {
      assert.match(missingRequirement({ node, effect: "4.1.0" })!, new RegExp(`Node 22\\.15.*Node ${node}`))
    }
  })

  it("says that an app on an older effect can stay as it is, and how to run the command", () => {
    for (const effect of ["4.0.0-rc.112", "4.0.9", "3.19.0"]) {
      assert.match(
        missingRequirement({ node: "24.0.0", effect })!,
        new RegExp(`effect 4\\.1.*${effect}.*npx --package`, "s")
      )
    }
  })

  it("says how to install effect where there is none", () => {
    assert.match(missingRequirement({ node: "24.0.0", effect: undefined })!, /npm install effect/)
  })
})
