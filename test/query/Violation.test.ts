import { assert, describe, it } from "@effect/vitest"
import { explain } from "../../src/query/Violation.ts"
import { kinds } from "../../src/semconv/violation.ts"

describe("explain", () => {
  it("has one sentence of its own for each kind", () => {
    const sentences = kinds.map(explain)
    assert.lengthOf(new Set(sentences), kinds.length)
    for (const sentence of sentences) assert.match(sentence, /^[A-Z][^\n]+[^.]\.$/)
  })

  it("says so when it does not know a kind", () => {
    for (const kind of ["new_kind", "constructor", "__proto__"]) assert.match(explain(kind), /does not know/)
  })
})
