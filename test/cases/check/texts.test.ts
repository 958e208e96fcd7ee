import { assert, describe, it } from "@effect/vitest"
import type { SpanRecord } from "../trail.ts"
import { edited, linkTo, makeEvent, makeSpan, withAttributes } from "./sample.ts"
import { checkText, type TextContext } from "./texts.ts"

const context = (spans: ReadonlyArray<SpanRecord>, more: Partial<TextContext> = {}): TextContext => ({
  spans,
  openCalls: 0,
  handlerRuns: [],
  asked: { ours: 0, theirs: 0 },
  reasons: [],
  sibling: "sibling",
  ...more
})

const holds = (text: string, one: TextContext) =>
  assert.deepStrictEqual(checkText(text, one), { checked: true, failures: [] })
const fails = (text: string, one: TextContext) => assert.isAbove(checkText(text, one).failures.length, 0)

const turns = (to: "first" | "second") => {
  const [first, second] = ["1", "2"].map((id, i) => ({
    app: makeSpan("app", { traceId: id, start: [i, 0] }),
    call: makeSpan("tool_call lookup", { traceId: id })
  }))
  const target = to === "first" ? first! : second!
  const run = makeSpan("execute_tool lookup", { traceId: "2", links: linkTo("decided_by", target.call).links })
  return [first!.app, first!.call, second!.app, second!.call, run]
}

describe("texts", () => {
  it("words without a check are no failure, but told apart", () => {
    assert.deepStrictEqual(checkText("it is beautiful", context([])), { checked: false, failures: [] })
  })

  it("links between turns", () => {
    const text = "the decided_by links of turn 2 go to turn 1's spans, not to turn 2's"
    holds(text, context(turns("first")))
    fails(text, context(turns("second")))
    holds("turn 2's decided_by link goes to turn 1's tool_call", context(turns("first")))
    fails("turn 2's decided_by link goes to turn 1's tool_call", context(turns("second")))
    fails("turn 2's consumes link goes to turn 1's tool_result", context(turns("first")))
  })

  it("one key on all spans", () => {
    const text = "toolspan.call.key is the same on the three spans"
    holds(text, context(withAttributes("app", {})))
    fails(text, context(withAttributes("tool_result lookup", { "toolspan.call.key": "?2" })))
    fails(text, context([]))
  })

  it("executions that do not overlap and start with their handlers", () => {
    const text = "no two execute_tool spans overlap; each starts when its handler starts"
    const at = (millis: number): readonly [number, number] => [1, millis * 1_000_000]
    const spans = (...executions: ReadonlyArray<readonly [number, number]>) =>
      executions.flatMap(([start, end], i) => {
        const attributes = { "gen_ai.tool.call.id": `c${i}` }
        return [
          makeSpan("tool_call lookup", { start: at(0), end: at(1), attributes }),
          makeSpan("execute_tool lookup", { start: at(start), end: at(end), attributes })
        ]
      })
    const nanos = (millis: number) => 1_000_000_000n + BigInt(millis) * 1_000_000n
    const runs = (...handlers: ReadonlyArray<readonly [number, number]>) => ({
      handlerRuns: handlers.map(([start, end], i) => ({ id: `c${i}`, startedAt: nanos(start), endedAt: nanos(end) }))
    })
    holds(text, context(spans([2, 12], [12, 22]), runs([3, 11], [14, 21])))
    fails(text, context(spans([2, 12], [11, 22]), runs([3, 11], [14, 21])))
    // Before the decision was whole, before the handler before it had ended, after its own handler; and with no span.
    fails(text, context(spans([0, 12], [12, 22]), runs([3, 11], [14, 21])))
    fails(text, context(spans([2, 8], [10, 22]), runs([3, 11], [14, 21])))
    fails(text, context(spans([2, 12], [15, 22]), runs([3, 11], [14, 21])))
    fails(text, context(spans([2, 12]), runs([3, 11], [14, 21])))
  })

  it("captured values in bytes and whole characters", () => {
    const text = "no captured value has more than 2,048 UTF-8 bytes and none ends inside a character"
    const content = (value: string) =>
      context(withAttributes("tool_result lookup", { "gen_ai.tool.call.result": value }))
    holds(text, content("ä".repeat(1024)))
    fails(text, content("ä".repeat(1025)))
    fails(text, content("\ud83d"))
  })

  it("preliminary events, memory, the app's own values and reasons", () => {
    const text =
      "the execute_tool span has exactly 2 toolspan.preliminary events, each with another toolspan.preliminary.index; it ends after the last of them"
    const events = (...indexes: ReadonlyArray<number>) =>
      context(edited("execute_tool lookup", () => ({
        events: indexes.map((index) => makeEvent("toolspan.preliminary", { "toolspan.preliminary.index": index }))
      })))
    holds(text, events(0, 1))
    fails(text, events(0, 0))
    fails(text, events(0, 1, 2))
    fails("no state of w1 is kept", context([], { openCalls: 1 }))
    fails("no getter and no toJSON of the app's values is called", context([], { asked: { ours: 1, theirs: 0 } }))
    fails("no getter and no toJSON of the app's values is called", context([], { asked: { ours: 0, theirs: 1 } }))
    holds("no getter and no toJSON of the app's values is called", context([], { asked: { ours: 1, theirs: 1 } }))
    const reason = "no span of toolspan and not the turn's span has the reason in any other attribute"
    fails(reason, context(withAttributes("LanguageModel.generateText", { reason: "why" }), { reasons: ["why"] }))
    holds(
      reason,
      context(withAttributes("tool_result lookup", { "gen_ai.tool.call.result": "why" }), { reasons: ["why"] })
    )
  })
})
