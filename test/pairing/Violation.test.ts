import { assert, describe, it } from "@effect/vitest"
import { advice, inOrder, make } from "../../src/pairing/Violation.ts"
import { kinds } from "../../src/semconv/violation.ts"

describe("advice", () => {
  it("is one sentence for each kind, and no two are alike", () => {
    assert.deepStrictEqual(Object.keys(advice).toSorted(), [...kinds].toSorted())
    for (const sentence of Object.values(advice)) assert.match(sentence, /^[A-Z][^.]{20,}\.$/)
    assert.strictEqual(new Set(Object.values(advice)).size, kinds.length)
  })
})

describe("make", () => {
  const at = { message: 3, part: 1 }

  it("leaves out what is not known", () => {
    const bare = { kind: "missing_id", scope: "wire", message: 3, part: 1, advice: advice.missing_id }
    assert.deepStrictEqual<object>(make("missing_id", "wire", {}, at), bare)
    assert.deepStrictEqual<object>(make("missing_id", "wire", { id: "", name: "", truncated: false }, at), bare)
  })

  it("keeps what is known", () => {
    const about = { id: "c", name: "n", key: "k", approvalId: "a", otherName: "o", truncated: true }
    assert.deepStrictEqual<object>(make("renamed_tool", "turn", about, at), {
      kind: "renamed_tool",
      scope: "turn",
      ...about,
      ...at,
      advice: advice.renamed_tool
    })
  })
})

describe("inOrder", () => {
  it("sorts by message, then by part, and keeps the order of those of one part", () => {
    const one = (kind: "missing_id" | "empty_id", message: number, part: number) =>
      make(kind, "wire", {}, { message, part })
    const found = [one("missing_id", 2, 0), one("empty_id", 1, 1), one("missing_id", 1, 1), one("missing_id", 1, 0)]
    assert.deepStrictEqual(
      inOrder(found).map(({ kind, message, part }) => [kind, message, part]),
      [["missing_id", 1, 0], ["empty_id", 1, 1], ["missing_id", 1, 1], ["missing_id", 2, 0]]
    )
  })
})
