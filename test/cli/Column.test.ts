import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Column from "../../src/cli/Column.ts"
import { inert } from "../../src/cli/InertText.ts"

const shown = fc.string({ unit: "grapheme" }).map(inert)
const width = fc.integer({ min: 1, max: 60 })

describe("left and right", () => {
  it("take exactly the width, wide characters included", () => {
    fc.assert(fc.property(shown, width, (text, width) => {
      assert.strictEqual(Column.widthOf(Column.left(text, width)), width)
      assert.strictEqual(Column.widthOf(Column.right(text, width)), width)
    }))
  })

  it("cut with an ellipsis", () => {
    assert.strictEqual(Column.left("send_email", 6), "send_…")
    assert.strictEqual(Column.left("天気予報", 6), "天気… ")
    assert.strictEqual(Column.right("abc", 5), "  abc")
  })

  it("do not measure a megabyte to show ten columns", () => {
    assert.strictEqual(Column.fit("x".repeat(50_000_000), 10), "xxxxxxxxx…")
  })
})

describe("wrap", () => {
  it("keeps lines within the width and words in order", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/)), fc.integer({ min: 12, max: 60 }), (words, width) => {
        const lines = Column.wrap(words.join(" "), width)
        for (const line of lines) assert.isAtMost(Column.widthOf(line), width)
        assert.strictEqual(lines.join(" "), words.join(" "))
      })
    )
  })

  it("cuts a word that is wider than a line", () => {
    assert.deepStrictEqual(Column.wrap("a bbbbbbbbbbbb c", 6), ["a", "bbbbb…", "c"])
  })
})
