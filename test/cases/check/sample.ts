/** Spans made by hand: one turn with one call, as toolspan should write it. */
import type { EventRecord, SpanRecord, Trail, Values } from "../trail.ts"

const trace = "a".repeat(32)
let ids = 0

export const makeSpan = (name: string, fields: Partial<SpanRecord> = {}): SpanRecord => ({
  traceId: trace,
  spanId: String(++ids).padStart(16, "0"),
  parentSpanId: undefined,
  name,
  start: [1, ids * 1000],
  end: [1, ids * 1000 + 10],
  attributes: {},
  status: { error: false, message: undefined },
  events: [],
  links: [],
  ...fields
})

export const makeEvent = (name: string, attributes: EventRecord["attributes"]): EventRecord => ({
  name,
  time: [1, 0],
  attributes
})

export const linkTo = (type: string, target: SpanRecord) => ({
  links: [{ traceId: target.traceId, spanId: target.spanId, attributes: { "toolspan.link.type": type } }],
  twin: { [`toolspan.link.${type}`]: `${target.traceId}-${target.spanId}` }
})

const stage = (name: string, more: Values) => ({
  "toolspan.stage": name,
  "gen_ai.tool.name": "lookup",
  "gen_ai.tool.call.id": "call_1",
  "toolspan.call.key": "call_1",
  "toolspan.call.id_source": "provider",
  "toolspan.approval.state": "not_required",
  ...more
})

/** The spans of a good turn, by their name; `edit` changes one before the rest is made from it. */
export const goodTurn = (edit: (span: SpanRecord) => SpanRecord = (span) => span): ReadonlyArray<SpanRecord> => {
  const app = edit(makeSpan("app"))
  const turn = edit(makeSpan("LanguageModel.generateText", { parentSpanId: app.spanId }))
  const chat = edit(makeSpan("chat gpt-x", {
    parentSpanId: turn.spanId,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.usage.input_tokens": 5,
      "gen_ai.response.finish_reasons": ["stop"],
      "toolspan.tool_calls.decided": 1
    }
  }))
  const call = edit(makeSpan("tool_call lookup", { parentSpanId: chat.spanId, attributes: stage("decision", {}) }))
  const decided = linkTo("decided_by", call)
  const run = edit(makeSpan("execute_tool lookup", {
    parentSpanId: turn.spanId,
    links: decided.links,
    attributes: stage("execution", {
      "gen_ai.operation.name": "execute_tool",
      "toolspan.outcome": "success",
      ...decided.twin
    })
  }))
  const of = linkTo("result_of", run)
  const result = edit(makeSpan("tool_result lookup", {
    parentSpanId: turn.spanId,
    links: of.links,
    attributes: stage("result", { "toolspan.outcome": "success", "toolspan.result.origin": "handler", ...of.twin })
  }))
  return [app, turn, chat, call, run, result]
}

/** An edit of the span of that name. */
export const edited = (name: string, change: (span: SpanRecord) => Partial<SpanRecord>): ReadonlyArray<SpanRecord> =>
  goodTurn((span) => span.name === name ? { ...span, ...change(span) } : span)

/** With these attributes on the span of that name; `undefined` takes one away. */
export const withAttributes = (name: string, attributes: Values): ReadonlyArray<SpanRecord> =>
  edited(name, (span) => ({
    attributes: Object.fromEntries(
      Object.entries({ ...span.attributes, ...attributes }).filter(([, value]) => value !== undefined)
    )
  }))

export const trailOf = (spans: ReadonlyArray<SpanRecord>): Trail => {
  const once = () => new Map(spans.map((span) => [span.spanId, 1]))
  return { spans: [...spans], started: once(), ended: once(), exported: once(), logs: [] }
}
