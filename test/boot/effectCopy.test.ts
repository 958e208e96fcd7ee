import { assert, describe, it } from "vitest"
import { isTested, ownVersion, versionAt } from "../../src/boot/effectCopy.ts"

describe("isTested", () => {
  it.each(["4.0.0-rc.112", "4.0.0-rc.200", "4.0.0", "4.0.7", "4.1.0-rc.1", "4.1.0", "4.1.99"])("%s is", (version) => {
    assert.isTrue(isTested(version))
  })
  it.each(["4.0.0-rc.111", "4.0.0-beta.500", "3.99.0", "4.2.0", "4.2.0-rc.1", "5.0.0", "", "latest"])(
    "%s is not",
    (version) => {
      assert.isFalse(isTested(version))
    }
  )
  it("reads the version of a copy, and none where there is no package", () => {
    const version = versionAt(import.meta.resolve("effect/package.json"))
    assert.match(version ?? "", /^\d+\.\d+\.\d+/)
    assert.strictEqual(ownVersion(), version)
    assert.isUndefined(versionAt(new URL("nowhere/", import.meta.url).href))
  })
})
