import { assert, describe, it } from "@effect/vitest"
import { checkNever, onlyIn } from "./never.ts"
import { makeEvent, makeSpan } from "./sample.ts"

const has = (span: ReturnType<typeof makeSpan>, logs: Array<string> = []) =>
  checkNever(["canary"], [span], logs).length > 0

describe("never", () => {
  it("finds the text wherever a span can hold one, and in logs", () => {
    assert.isTrue(has(makeSpan("x canary")))
    assert.isTrue(has(makeSpan("x", { attributes: { canary: 1 } })))
    assert.isTrue(has(makeSpan("x", { attributes: { key: "a canary" } })))
    assert.isTrue(has(makeSpan("x", { attributes: { key: ["a", "a canary"] } })))
    assert.isTrue(has(makeSpan("x", { events: [makeEvent("canary", {})] })))
    assert.isTrue(has(makeSpan("x", { events: [makeEvent("exception", { "exception.message": "canary" })] })))
    assert.isTrue(has(makeSpan("x", { links: [{ traceId: "a", spanId: "b", attributes: { key: "canary" } }] })))
    assert.isTrue(has(makeSpan("x", { status: { error: true, message: "canary" } })))
    assert.isTrue(has(makeSpan("x"), ["a canary"]))
    assert.isFalse(has(makeSpan("x"), ["nothing"]))
  })

  it("searches strings, not a JSON dump", () => {
    const span = makeSpan("x", { attributes: { key: "add \"beta\"" } })
    assert.strictEqual(checkNever(["\"beta\""], [span], []).length, 1)
    assert.strictEqual(checkNever(["\\\"beta"], [span], []).length, 0)
  })

  it("leaves the app its own errors, and nothing else", () => {
    assert.isFalse(has(makeSpan("app", { status: { error: true, message: "canary" } })))
    assert.isFalse(has(makeSpan("handler of the app", { events: [makeEvent("exception", { message: "canary" })] })))
    assert.isTrue(has(makeSpan("app", { attributes: { parameters: "canary" } })))
    assert.isTrue(has(makeSpan("app", { events: [makeEvent("toolspan.violation", { key: "canary" })] })))
  })

  it("onlyIn allows the attributes that it names", () => {
    const span = makeSpan("tool_result lookup", { attributes: { "gen_ai.tool.call.result": "canary" } })
    assert.deepStrictEqual(onlyIn("canary", ["gen_ai.tool.call.result"], [span]), [])
    assert.strictEqual(onlyIn("canary", ["toolspan.approval.reason"], [span]).length, 1)
  })
})
