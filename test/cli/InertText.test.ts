import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inert, inertJson } from "../../src/cli/InertText.ts"

/** Everything that moves a cursor, changes a colour, a title or the reading direction, or cannot be seen. */
const acting = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\ud800-\udfff]/u

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) })
)

describe("inert", () => {
  it("writes out what a terminal could act on", () => {
    assert.strictEqual(inert("\x1b[31mred\x1b[0m"), "\\u{1b}[31mred\\u{1b}[0m")
    assert.strictEqual(inert("a\u202eb\u2066c"), "a\\u{202e}b\\u{2066}c")
    assert.strictEqual(inert("\x9b31m\r\n\t\0\x7f"), "\\u{9b}31m\\u{d}\\u{a}\\u{9}\\u{0}\\u{7f}")
    assert.strictEqual(inert("\ud800"), "\\u{d800}")
  })

  it("leaves ordinary text of any language as it is", () => {
    for (const text of ["send_email", "naïve café", "天気", "טלפון", "погода", "🌦", "Việt Nam"]) {
      assert.strictEqual(inert(text), text)
    }
  })

  it("cuts marks that stack over other lines", () => {
    assert.strictEqual(inert(`a${"\u0301".repeat(500)}b`).length, 6)
  })

  it("lets nothing through, whatever the text", () => {
    fc.assert(fc.property(anyText, (text) => !acting.test(inert(text))))
  })
})

describe("inertJson", () => {
  it("lets nothing through and keeps the meaning, whatever the text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = inertJson(JSON.stringify({ [text]: [text] }))
        assert.notMatch(json, acting)
        assert.deepStrictEqual(JSON.parse(json), { [text]: [text] })
      })
    )
  })
})
