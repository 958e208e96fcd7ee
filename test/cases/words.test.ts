import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { endOf, handlerOf, largeResult, manualHandleOf, valuesOf } from "./words.ts"

const nothing = () => Effect.void

const failureOf = (handler: string, form?: string) =>
  Effect.map(
    Effect.exit(handlerOf(handler, form, [])("x", nothing)),
    (exit) =>
      Exit.isFailure(exit)
        ? Cause.squash(exit.cause) as { readonly _tag?: string; readonly message?: string }
        : undefined
  )

describe("handler words", () => {
  it.effect("a tagged error, with and without a message", () =>
    Effect.gen(function*() {
      const bare = yield* failureOf("fails with a tagged error that has no message")
      assert.strictEqual(bare?._tag, "DemoFailure")
      assert.strictEqual(bare?.message, "")
      const told = yield* failureOf("fails with { _tag: 'Boom', message: 'canary' }")
      assert.deepStrictEqual([told?._tag, told?.message], ["Boom", "canary"])
    }))

  it.effect("a defect", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* failureOf("throws an Error 'canary'"))?.message, "canary")
    }))

  it.effect("preliminary results, in their order", () =>
    Effect.gen(function*() {
      const told: Array<string> = []
      const handler = handlerOf(
        "reports the preliminary results `a 1` … `a 3` with its context's `preliminary`, then returns",
        undefined,
        []
      )
      const answer = yield* handler("done", (result) => Effect.sync(() => void told.push(result)))
      assert.deepStrictEqual([told, answer], [["a 1", "a 2", "a 3"], "done"])
    }))

  it("words without a meaning are told", () => {
    const unknown: Array<string> = []
    handlerOf("dances", undefined, unknown)
    assert.deepStrictEqual(unknown, ["handler: dances"])
    handlerOf("each takes 10 ms", undefined, unknown)
    assert.strictEqual(unknown.length, 1)
  })
})

describe("app words", () => {
  it("a handle call of the app, with and without the id", () => {
    const form = "then app calls toolkit.handle(name, a copy of params) WITHOUT the third argument"
    assert.deepStrictEqual(manualHandleOf(form, undefined), { name: undefined, copy: true, id: undefined })
    const block = "the app calls handle(\"nowhere\", a copy of the params, \"c9\") instead"
    assert.deepStrictEqual(manualHandleOf(form, block), { name: "nowhere", copy: true, id: "c9" })
    assert.isUndefined(manualHandleOf("effect prompt messages", undefined))
  })

  it("ends of a stream", () => {
    assert.strictEqual(endOf("the socket is destroyed")?._tag, "destroy")
    assert.strictEqual(endOf("the server closes the connection cleanly")?._tag, "close")
    assert.strictEqual(endOf("the fiber is interrupted")?._tag, "interrupt")
    assert.deepStrictEqual(endOf("the consumer takes 2 parts"), { _tag: "take", parts: 2 })
    assert.isUndefined(endOf("something odd"))
  })
})

describe("values in words", () => {
  it("are what they say, each with a sibling", () => {
    const asked = { count: 0 }
    const values = valuesOf({
      big: "BigInt('12345678901234567890123')",
      when: "new Date(0)",
      bytes: "new Uint8Array([1,2,3])",
      nan: "NaN",
      undef: "undefined",
      fn: "() => 1",
      sym: "Symbol('s')",
      self: "circular reference to the params object",
      getter: "object whose getter throws",
      toJSON: "object whose toJSON throws",
      map: "new Map([[1,2]])",
      err: "new Error('boom')"
    }, asked)
    assert.strictEqual(values["big"], 12345678901234567890123n)
    assert.deepStrictEqual(values["map"], new Map([[1, 2]]))
    assert.strictEqual(values["self"], values)
    assert.strictEqual((values["err"] as Error).message, "boom")
    assert.strictEqual(Object.keys(values).filter((key) => key.endsWith("_sibling")).length, 12)
    assert.throws(() => (values["getter"] as { readonly value: unknown }).value)
    assert.throws(() => JSON.stringify(values["toJSON"]))
    assert.strictEqual(asked.count, 2)
  })

  it("a large result has its size and counts who looks into it", () => {
    const asked = { count: 0 }
    const text = JSON.stringify(largeResult("11 MB string, plus a 3 MB base64 image part", asked))
    assert.isAbove(text.length, 14 * 1_048_576)
    assert.strictEqual(asked.count, 1)
  })
})
