import { assert, describe, it } from "@effect/vitest"
import type { SpanRecord, Values } from "../trail.ts"
import { checkAlways, type Known, waitingCalls } from "./always.ts"
import { edited, goodTurn, linkTo, makeEvent, makeSpan, trailOf, withAttributes } from "./sample.ts"

const known: Known = { usage: [true], failed: false, openCalls: 0, internalErrors: 0, pending: 0 }
const run = (spans: ReadonlyArray<SpanRecord>, more: Partial<Known> = {}) =>
  checkAlways(trailOf(spans), { ...known, ...more })

const caught = (spans: ReadonlyArray<SpanRecord>, words: RegExp, more: Partial<Known> = {}) => {
  const failures = run(spans, more)
  assert.isTrue(failures.some((failure) => words.test(failure)), `${words} in ${JSON.stringify(failures)}`)
}

describe("always", () => {
  it("a good turn has nothing wrong", () => {
    assert.deepStrictEqual(run(goodTurn()), [])
  })

  it("a span not ended, or ended or exported twice, is caught", () => {
    for (const field of ["ended", "exported"] as const) {
      for (const count of [0, 2]) {
        const trail = trailOf(goodTurn())
        trail[field].set(trail.spans[3]!.spanId, count)
        assert.isAbove(checkAlways(trail, known).length, 0)
      }
    }
  })

  it("an attribute that is always there is missed, and an unknown or misplaced one is caught", () => {
    caught(withAttributes("tool_call lookup", { "toolspan.call.key": undefined }), /call\.key: expected always/)
    caught(withAttributes("execute_tool lookup", { "toolspan.outcome": undefined }), /outcome: expected always/)
    caught(withAttributes("tool_call lookup", { "toolspan.made.up": 1 }), /not in the registry/)
    caught(withAttributes("app", { "toolspan.outcome": "success" }), /may not stand/)
    caught(withAttributes("tool_call lookup", { "toolspan.outcome": "success" }), /may not stand/)
    caught(withAttributes("tool_call lookup", { "toolspan.stage": "result" }), /toolspan\.stage: expected decision/)
    caught(withAttributes("execute_tool lookup", { "toolspan.outcome": "great" }), /not in the registry/)
    caught(withAttributes("chat gpt-x", { "toolspan.tool_calls.decided": "1" }), /expected int/)
    caught(withAttributes("chat gpt-x", { "gen_ai.response.finish_reasons": "[\"stop\"]" }), /expected string\[\]/)
  })

  it("null, undefined and [object Object] as text are caught", () => {
    for (const text of ["null", "undefined", "[object Object]"]) {
      caught(
        withAttributes("tool_call lookup", { "gen_ai.tool.call.id": text }),
        new RegExp(`is "${text.replaceAll(/[[\]]/g, "\\$&")}"`)
      )
    }
    caught(withAttributes("chat gpt-x", { "gen_ai.response.finish_reasons": ["null"] }), /is \["null"\]/)
  })

  it("an id in a span name is caught, a model's name that holds a short id is not", () => {
    caught(edited("tool_call lookup", () => ({ name: "tool_call call_1" })), /has an id in it/)
    assert.deepStrictEqual(run(withAttributes("chat gpt-x", { "gen_ai.response.id": "x" })), [])
  })

  it("a missing twin, a twin without its link and a wrong twin are caught", () => {
    caught(withAttributes("execute_tool lookup", { "toolspan.link.decided_by": undefined }), /twin of link decided_by/)
    caught(edited("execute_tool lookup", () => ({ links: [] })), /twin of link decided_by/)
    caught(withAttributes("execute_tool lookup", { "toolspan.link.decided_by": "a-b" }), /twin of link decided_by/)
    const result = makeSpan("tool_result lookup")
    const { links } = linkTo("consumes", result)
    caught(edited("chat gpt-x", () => ({ links })), /twin of link consumes/)
    const text = `${result.traceId}-${result.spanId}`
    caught(
      edited("chat gpt-x", (span) => ({ links, attributes: { ...span.attributes, "toolspan.link.consumes": text } })),
      /twin/
    )
  })

  it("chat spans are one per request, and only they have usage and the operation chat", () => {
    caught(goodTurn(), /expected one for each of 2/, { usage: [true, true] })
    caught(goodTurn().filter((span) => !span.name.startsWith("chat")), /chat spans: expected one/)
    caught(withAttributes("chat gpt-x", { "gen_ai.operation.name": undefined }), /gen_ai\.operation\.name is absent/)
    caught(withAttributes("chat gpt-x", { "gen_ai.usage.input_tokens": undefined }), /chat spans with usage/)
    caught(withAttributes("LanguageModel.generateText", { "gen_ai.usage.output_tokens": 7 }), /it has gen_ai\.usage/)
    caught(
      withAttributes("LanguageModel.generateText", { "gen_ai.operation.name": "chat" }),
      /operation\.name is "chat"/
    )
    caught(withAttributes("tool_call lookup", { "gen_ai.operation.name": "execute_tool" }), /operation\.name/)
  })

  it("violation counts and kinds equal the events", () => {
    const event = makeEvent("toolspan.violation", {
      "toolspan.violation.kind": "empty_id",
      "toolspan.violation.scope": "response"
    })
    const chat = (attributes: Values, count = 1) =>
      edited(
        "chat gpt-x",
        (span) => ({ events: Array(count).fill(event), attributes: { ...span.attributes, ...attributes } })
      )
    const right = { "toolspan.violation.count": 1, "toolspan.violation.kinds": ["empty_id"] }
    assert.deepStrictEqual(run(chat(right)), [])
    caught(chat({}), /violation count/)
    caught(chat({ ...right, "toolspan.violation.count": 2 }), /violation count/)
    caught(chat({ ...right, "toolspan.violation.kinds": ["empty_id", "empty_id"] }), /violation kinds/)
    caught(withAttributes("chat gpt-x", right), /no violation event/)
    assert.deepStrictEqual(run(chat({ ...right, "toolspan.violation.count": 31 }, 20)), [])
    caught(chat({ ...right, "toolspan.violation.count": 19 }, 20), /violation count/)
    caught(chat({ ...right, "toolspan.violation.count": 21 }, 21), /20 at most/)
    caught(
      edited("tool_call lookup", (span) => ({ events: [event], attributes: { ...span.attributes } })),
      /stand on chat or the turn/
    )
  })

  it("an execution below another, and a handler's span beside its call, are caught", () => {
    const spans = goodTurn()
    const run1 = spans.find((span) => span.name.startsWith("execute_tool"))!
    caught([...spans, { ...run1, spanId: "f".repeat(16), parentSpanId: run1.spanId }], /it is below/)
    caught(
      [...spans, makeSpan("handler of the app", { parentSpanId: spans[0]!.spanId })],
      /expected an execute_tool parent/
    )
    const handler = makeSpan("handler of the app", { parentSpanId: run1.spanId })
    assert.deepStrictEqual(run([...spans, handler]), [])
    const inner = makeSpan("LanguageModel.generateText", { parentSpanId: handler.spanId })
    const nested = { ...run1, spanId: "e".repeat(16), parentSpanId: inner.spanId }
    assert.deepStrictEqual(run([...spans, handler, inner, nested]), [])
  })

  it("calls that nobody waits for are not remembered", () => {
    const spans = goodTurn()
    assert.strictEqual(waitingCalls(spans), 1)
    assert.deepStrictEqual(run(spans, { openCalls: 1 }), [])
    caught(spans, /open calls/, { openCalls: 2 })
    const { links, twin } = linkTo("consumes", spans.at(-1)!)
    const next = makeSpan("chat m", {
      links,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": 1,
        "toolspan.link.consumes": Object.values(twin)
      }
    })
    caught([...spans, next], /open calls/, { openCalls: 1, usage: [true, true] })
    assert.strictEqual(waitingCalls([...spans, next, { ...spans[3]!, spanId: "d".repeat(16) }]), 1)
  })
})
