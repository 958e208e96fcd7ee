import { assert, describe, it } from "@effect/vitest"
import { kinds } from "../../../src/semconv/violation.ts"
import { inert } from "../../../src/viewer/client/Inert.tsx"
import { remedy } from "../../../src/viewer/client/Remedy.ts"

describe("inert", () => {
  it("writes out what could hide or turn its neighbours", () => {
    assert.strictEqual(
      inert("a\u202Eb\u0000\n\u001b[31m\u200b\ud800"),
      "a\\u{202e}b\\u{0}\\u{a}\\u{1b}[31m\\u{200b}\\u{d800}"
    )
    assert.strictEqual(inert("zoë <b> 日本 👍"), "zoë <b> 日本 👍")
    assert.strictEqual(inert(`a${"\u0301".repeat(50)}`), `a${"\u0301".repeat(4)}`)
  })

  it("cuts what is longer than anybody reads, and says how long it was", () => {
    const text = inert("x".repeat(1_000_000), 10)
    assert.strictEqual(text, "xxxxxxxxxx… (1,000,000 characters)")
  })
})

describe("remedy", () => {
  it("says what to do about every kind of fault, each in its own words", () => {
    assert.strictEqual(new Set(kinds.map(remedy)).size, kinds.length)
    for (const kind of kinds) assert.match(remedy(kind) ?? "", /^[A-Z].*\.$/)
    assert.isUndefined(remedy("toString"))
  })
})
