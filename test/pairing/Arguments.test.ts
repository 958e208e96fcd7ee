import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { droppedCount, faultOf } from "../../src/pairing/Arguments.ts"

describe("faultOf", () => {
  it("finds no fault in JSON and in nothing at all", () => {
    for (const text of ["{}", "[]", " {\"a\": [1, \"}\"]} ", "\"x\"", "1", "null", "", " \n"]) {
      assert.isUndefined(faultOf(text), text)
    }
  })

  it("calls a text truncated that stops inside a string, an object or a list", () => {
    for (const text of ["{", "[", "{\"a\":", "{\"a\":1", "[1,", "{\"a\":[1]", "\"", "\"a\\\"", "{\"a\":\"}", "[{}"]) {
      assert.strictEqual(faultOf(text), "truncated", text)
    }
  })

  it("calls any other text malformed", () => {
    for (const text of ["}", "]", "{}}", "{} {", "x", "{\"a\":}", "[1,]", "}{", "][", "\"a\\\\\"x", "{'a':1}"]) {
      assert.strictEqual(faultOf(text), text === "{} {" ? "truncated" : "malformed", text)
    }
  })

  it("calls every cut of an object truncated", () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, at) => {
      const text = JSON.stringify(value)
      const cut = text.slice(0, 1 + at % (text.length - 1))
      assert.strictEqual(faultOf(cut), "truncated")
    }))
  })
})

describe("droppedCount", () => {
  it("counts what the wire has and the call lost, and what the schema does not declare", () => {
    assert.strictEqual(droppedCount({ params: { a: 1, b: 2 } }, undefined), 0)
    assert.strictEqual(droppedCount({ params: { a: 1, b: 2 } }, ["a"]), 1)
    assert.strictEqual(droppedCount({ wireParams: { a: 1, b: 2, c: 3 }, params: { a: 1 } }, undefined), 2)
    assert.strictEqual(droppedCount({ wireParams: { a: 1, b: 2, c: 3 }, params: { a: 1, d: 1 } }, ["a"]), 3)
    assert.strictEqual(droppedCount({ wireParams: { a: 1 } }, ["a"]), 0)
    for (const params of [null, [1, 2], "ab", 7]) assert.strictEqual(droppedCount({ params }, []), 0)
  })
})
