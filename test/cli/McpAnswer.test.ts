import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as McpAnswer from "../../src/cli/McpAnswer.ts"

const texts = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", maxLength: 2000 }))

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    texts,
    fc.integer(),
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 2n ** 63n }),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(fc.string(), tie("value"), { maxKeys: 5 })
  )
})).value

const every = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(every)
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, entry]) => [key, ...every(entry)])
}

describe("an answer", () => {
  it("has no character that nobody sees, and the same shape", () => {
    fc.assert(fc.property(value, (value) => {
      for (const text of every(McpAnswer.shorten(value, { text: 5000, list: 100 }).value)) {
        assert.notMatch(text, /[\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/u)
      }
    }))
  })

  it("is as it was given when it is short and plain", () => {
    const plain = { id: "t1", at: 5n, list: [1, true, null, "line\n\tnext 日本🎉"] }
    assert.deepStrictEqual(McpAnswer.fit(plain), { value: plain, cut: [] })
  })

  it("is cut until it is small enough, and says where", () => {
    const { cut, value } = McpAnswer.fit({
      spans: Array.from({ length: 5000 }, (_, index) => ({ name: `span ${index}`, text: "x".repeat(10_000) }))
    })
    assert.isAtMost(McpAnswer.sizeOf(value), McpAnswer.sizeAtMost)
    assert.strictEqual(cut[0], `spans: the first ${value.spans.length} of 5,000 entries`)
    assert.match(cut[1]!, /^spans\[0\]\.text: the first \d+ of 10,000 characters$/)
    assert.match(cut.at(-1)!, /^and \d+ more places$/)
    assert.isAtMost(cut.length, 21)
  })

  it("is small also where an attribute has many keys, long ones, or lists in lists", () => {
    const tree = (depth: number): unknown => depth === 0 ? true : [tree(depth - 1), { [`k${depth}`]: tree(depth - 1) }]
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, index]))
    const long = { ["y".repeat(3_000)]: { list: Array.from({ length: 300 }, () => 1) } }
    for (const value of [tree(16), keys, long]) {
      const attributes = Array.from({ length: 30 }, (_, index) => ({ key: `a${index}`, value }))
      const { cut, value: shown } = McpAnswer.fit({ spans: [{ name: "s", attributes }] })
      assert.isAtMost(McpAnswer.sizeOf({ cut, shown }), McpAnswer.sizeAtMost + 20 * 200)
      assert.match(cut.join("\n"), /attributes\[0\]\.value.*: the first \d+ of [\d,]+ (?:characters|entries)/)
      assert.typeOf(shown.spans[0]!.attributes[0]!.value, "string")
    }
    const small = { attributes: [{ key: "a", value: { b: [1, { c: "d" }] } }] }
    assert.deepStrictEqual(McpAnswer.fit(small), { value: small, cut: [] })
  })

  it("is not cut within a character", () => {
    const { value } = McpAnswer.shorten("🎉".repeat(10), { text: 5, list: 1 })
    assert.strictEqual(value, "🎉🎉\ufffd…")
  })

  it("is given back as it was written by what asks again", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }).filter((text) => !text.includes("\\u{")), (text) => {
      const { value } = McpAnswer.shorten(text, { text: 1e6, list: 1 })
      // Marks that stack on one character are cut: only these do not come back.
      if (!/\p{M}{5}/u.test(text)) assert.strictEqual(McpAnswer.asWritten(value), text)
    }))
    assert.strictEqual(McpAnswer.asWritten("\\u{110000}"), "\\u{110000}")
  })

  it("that is a page is none when its entries are too many", () => {
    const page = (entries: number) => ({ calls: Array.from({ length: entries }, () => ({ text: "x".repeat(900) })) })
    assert.isUndefined(McpAnswer.fitPage(page(100)))
    assert.lengthOf(McpAnswer.fitPage(page(40))!.value.calls, 40)
  })
})
