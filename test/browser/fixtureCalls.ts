/** Calls as an assistant's afternoon leaves them, and as many as a test asks for. */
import * as Effect from "effect/Effect"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { TraceStore } from "../../src/store/TraceStore.ts"
import { approvedCall, callValues, plainCall } from "../query/CallFixture.ts"
import { spanRow } from "../query/SpanBuilder.ts"

const violation = (kind: string, id: string, tool: string, at: number) => ({
  name: "toolspan.violation",
  at,
  attributes: {
    "toolspan.violation.kind": kind,
    "toolspan.violation.scope": "conversation",
    "gen_ai.tool.call.id": id,
    "gen_ai.tool.name": tool,
    "toolspan.call.key": id
  }
})

/** The call with an approval, in a conversation, with one fault told of it. */
export const approvedId = "toolu_01Jq8TzDGHpC4rW"

const content = {
  "gen_ai.tool.call.arguments": JSON.stringify({ city: "Lisbon", days: 3, unit: "celsius" }),
  "gen_ai.tool.call.result": JSON.stringify({ high: 24, low: 15, sky: "clear" })
}

/** Text that would do harm where it is not inert. */
export const hostile =
  "<img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script>\u202Egnp.exe\u0000\u001b[31m javascript:window.hurt=1"

/** A text of one megabyte. */
export const huge = `<b>${"x".repeat(1_000_000)}</b>`

const tools = ["search_docs", "weather", "read_file", "query_orders", "create_invoice", "translate", "refund_payment"]

/** Some calls wait for a human. */
const waits = (index: number) => index % 15 === 3

/** No two handlers are equally fast. */
const tookMore = (index: number) => BigInt((index * index * 137) % 2900) * 1_000_000n

/** The spans of a small store. */
export const spans = (): ReadonlyArray<SpanRow> => [
  ...approvedCall(approvedId, {
    conversation: "support-4812",
    chatEvents: [violation("duplicate_approval", approvedId, "send_email", 42_600)]
  }),
  ...Array.from({ length: 46 }, (_, index) => {
    const tool = tools[(index * 5 + (index % 3)) % tools.length]!
    return plainCall(`call_${(index * 7919 + 104_729).toString(36)}${(index * 104_723).toString(36)}`, {
      tool,
      a: `a${index}`,
      b: `b${index}`,
      at: -60_000 * index - (index * index * 377) % 40_000,
      outcome: index % 9 === 4 ? "failure" : "success",
      values: {
        ...(index % 4 === 0 ? { ...content, "gen_ai.conversation.id": `support-${4800 + index % 5}` } : {}),
        ...(waits(index) ? { "toolspan.approval.state": "pending" } : {})
      }
    }).filter((row) => !waits(index) || !/^(?:execute_tool|tool_result|GET) /.test(row.name))
      .map((row) => row.name.startsWith("execute_tool") ? { ...row, end: row.end + tookMore(index) } : row)
  }).flat()
]

/** The spans of calls whose every text is hostile. */
export const hostileSpans = (): ReadonlyArray<SpanRow> =>
  [
    ...plainCall(hostile, {
      tool: hostile,
      a: "h1",
      b: "h2",
      at: 1000,
      values: { [hostile]: hostile, "gen_ai.conversation.id": hostile }
    }),
    ...plainCall("long", {
      tool: huge,
      a: "h3",
      b: "h4",
      at: 2000,
      values: { "app.text": huge, "gen_ai.tool.call.arguments": huge }
    }),
    ...approvedCall(`${hostile}2`, {
      tool: hostile,
      conversation: hostile,
      chatEvents: [violation(hostile, `${hostile}2`, hostile, 42_600)]
    })
  ].map((row) => row.name === "GET forecast" ? { ...row, name: hostile } : row)

/** One span a call, 750 ms apart from the next one, the newest first. */
const manyRows = (from: number, end: number): ReadonlyArray<SpanRow> =>
  Array.from({ length: end - from }, (_, offset) => {
    const index = from + offset
    const tool = tools[index % tools.length]!
    const outcome = index % 13 === 5 ? "failure" : "success"
    return spanRow({
      label: `many${index}/run`,
      name: `execute_tool ${tool}`,
      at: -index * 750,
      took: 20 + (index * 37) % 900,
      failed: outcome === "failure",
      attributes: {
        ...callValues(`call_${index}`, tool),
        [Attribute.genAiOperationName]: "execute_tool",
        [Attribute.toolspanStage]: "execution",
        [Attribute.toolspanOutcome]: outcome
      }
    })
  })

/** Calls of one transaction. */
const callsAtOnce = 5_000

/** Puts as many calls into the store, past the receiver: their way over HTTP is not what is tested. */
export const fillWith = (amount: number) => (store: TraceStore.Shape) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(amount / callsAtOnce) }, (_, index) => index * callsAtOnce),
    (from) => store.append(manyRows(from, Math.min(amount, from + callsAtOnce))),
    { discard: true }
  )
