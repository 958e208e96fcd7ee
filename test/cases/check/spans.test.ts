import { assert, describe, it } from "@effect/vitest"
import type { ExpectedSpan } from "../case-file.ts"
import type { SpanRecord } from "../trail.ts"
import { edited, goodTurn, linkTo, makeSpan, withAttributes } from "./sample.ts"
import { checkSpans } from "./spans.ts"

const run = (expected: Partial<ExpectedSpan>, spans: ReadonlyArray<SpanRecord> = goodTurn()) =>
  checkSpans([{ name: "execute_tool lookup", count: 1, ...expected }], spans, spans)
const holds = (expected: Partial<ExpectedSpan>, spans?: ReadonlyArray<SpanRecord>) =>
  assert.deepStrictEqual(run(expected, spans), [])
const fails = (expected: Partial<ExpectedSpan>, spans?: ReadonlyArray<SpanRecord>) =>
  assert.isAbove(run(expected, spans).length, 0)

describe("spans", () => {
  it("a name selects whole or, with a star, by its start; chat * is also plain chat", () => {
    holds({ name: "execute_tool *" })
    holds({ name: "LanguageModel.*" })
    holds({ name: "chat *", count: 2 }, [makeSpan("chat"), makeSpan("chat m"), makeSpan("chatty")])
    fails({ name: "execute_tool look" })
    fails({ name: "chat *" }, [])
  })

  it("the count is exact, after where", () => {
    fails({ count: 0 })
    fails({ count: 2 })
    holds({ where: { "gen_ai.tool.call.id": "call_1" } })
    holds({ where: { "gen_ai.tool.call.id": "call_2" }, count: 0 })
    fails({ where: { "gen_ai.tool.call.id": "call_2" } })
  })

  it("values have the same type", () => {
    holds({
      name: "chat *",
      attributes: { "gen_ai.response.finish_reasons": ["stop"], "toolspan.tool_calls.decided": 1 }
    })
    fails({ name: "chat *", attributes: { "toolspan.tool_calls.decided": "1" } })
    fails({ name: "chat *", attributes: { "gen_ai.response.finish_reasons": "stop" } })
    fails({ name: "chat *", attributes: { "gen_ai.response.finish_reasons": ["stop", "stop"] } })
    fails({ attributes: { "toolspan.outcome": { absent: true } } })
    holds({ attributes: { "toolspan.call.occurrence": { absent: true } } })
    holds({ name: "chat *", attributes: { "toolspan.tool_calls.decided": { matches: "^\\d$" } } })
    fails({ attributes: { "toolspan.call.occurrence": { matches: "" } } })
  })

  it("a wrong status and a wrong parent are caught", () => {
    holds({ status: "UNSET", parent: "LanguageModel.*" })
    fails({ status: "ERROR" })
    fails({ status: "UNSET" }, edited("execute_tool lookup", () => ({ status: { error: true, message: "x" } })))
    fails({ parent: "app" })
    fails({ parent: "app" }, edited("execute_tool lookup", () => ({ parentSpanId: undefined })))
  })

  it("a link must be there, lead to the right kind of span, and keep the key", () => {
    holds({ links: ["decided_by"] })
    fails({ links: ["approved_by"] })
    fails({ links: ["decided_by"] }, edited("execute_tool lookup", () => ({ links: [] })))
    const elsewhere = makeSpan("tool_call lookup", { attributes: { "toolspan.call.key": "other" } })
    const spans = edited("execute_tool lookup", () => ({ links: linkTo("decided_by", elsewhere).links }))
    fails({ links: ["decided_by"] }, spans)
    fails({ links: ["decided_by"] }, [...spans, elsewhere])
    const turn = goodTurn()
    const wrongKind = turn.map((span) =>
      span.name === "tool_result lookup" ? { ...span, links: linkTo("result_of", turn[3]!).links } : span
    )
    fails({ name: "tool_result *", links: ["result_of"] }, wrongKind)
    holds(
      { name: "tool_result *", links: ["result_of"] },
      wrongKind.filter((span) => span.name !== "execute_tool lookup")
    )
  })

  it("no_links is neither a link nor its twin", () => {
    fails({ no_links: ["decided_by"] })
    fails({ no_links: ["decided_by"] }, edited("execute_tool lookup", () => ({ links: [] })))
    holds({ no_links: ["approved_by"] })
    fails({ no_links: ["approved_by"] }, withAttributes("execute_tool lookup", { "toolspan.link.approved_by": "x" }))
  })

  it("events are at least one of each name", () => {
    fails({ events: ["toolspan.preliminary"] })
    holds(
      { events: ["toolspan.preliminary"] },
      edited(
        "execute_tool lookup",
        () => ({ events: [{ name: "toolspan.preliminary", time: [1, 0], attributes: {} }] })
      )
    )
  })
})
