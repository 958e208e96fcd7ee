/** What holds of the spans of any app: nothing open, nothing that must not be told, every link and count even. */
import { checkAlways } from "../cases/check/always.ts"
import { checkNever } from "../cases/check/never.ts"
import { kindOf, type SpanRecord } from "../cases/trail.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { Played } from "./World.ts"
import { canary } from "./World.ts"

/** Between the call of its hook and its answer a provider may be interrupted: it was asked, and nothing came. */
export const unanswered = (told: Played): ReadonlyArray<boolean> => {
  const chats = told.trail.spans.filter((span) => kindOf(span) === "chat").length
  return Array.from({ length: Math.max(0, chats - told.asked.length) }, () => false)
}

/** What is wrong with a run, in words; `more` stands for requests that were never answered. */
export const faults = (told: Played, more: ReadonlyArray<boolean> = []): ReadonlyArray<string> => [
  ...told.complaints,
  ...told.open.map((name) => `${name}: never ended`),
  ...checkAlways(told.trail, {
    usage: [...told.asked, ...more],
    failed: true,
    openCalls: told.stats.openCalls,
    internalErrors: told.stats.internalErrors,
    pending: 20
  }),
  ...checkNever([canary], told.trail.spans, []),
  ...parents(told.trail.spans)
]

const wanted: Readonly<Record<string, ReadonlyArray<string>>> = {
  chat: ["turn"],
  tool_call: ["chat"],
  tool_approval: ["turn"],
  execute_tool: ["turn"],
  tool_result: ["turn"]
}

const parents = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  return spans.flatMap((span) => {
    const parent = byId.get(span.parentSpanId ?? "")
    const kinds = wanted[kindOf(span)]
    return kinds === undefined || (parent !== undefined && kinds.includes(kindOf(parent)))
      ? []
      : [`${span.name}: it is below ${parent?.name}`]
  })
}

const told = (spans: ReadonlyArray<SpanRecord>, kind: string) => spans.filter((span) => kindOf(span) === kind)

/** What must come out even: parts and spans, links and what they may lead to. */
export const counts = ({ host, trail }: Played): ReadonlyArray<string> => {
  const { spans } = trail
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const parts = (type: string) =>
    host.filter((line) =>
      line.startsWith("part ") && line.includes(`"type":"${type}"`) && !line.includes(`"preliminary":true`)
    )
      .length
  const number = (span: SpanRecord, key: string) => Number(span.attributes[key] ?? 0)
  const decided = told(spans, "chat").reduce((sum, span) => sum + number(span, Attribute.toolspanToolCallsDecided), 0)
  const consumed = told(spans, "chat").reduce((sum, span) => sum + number(span, Attribute.toolspanToolCallsConsumed), 0)
  const linked = spans.flatMap((span) =>
    span.links.filter((link) => link.attributes[Attribute.toolspanLinkType] === "consumes").map((link) => link.spanId)
  )
  const made = told(spans, "tool_result").filter((span) => span.attributes[Attribute.toolspanResultOrigin] !== "prompt")
  const asked = told(spans, "tool_approval").filter((span) =>
    span.attributes[Attribute.toolspanApprovalEvent] === "requested"
  )
  const rules: ReadonlyArray<readonly [string, boolean]> = [
    ["decided is the number of tool_call spans", decided === told(spans, "tool_call").length],
    ["each call that came out was decided", parts("tool-call") <= decided],
    ["each result that came out is told", parts("tool-result") <= made.length],
    ["each request for approval that came out is told", parts("tool-approval-request") <= asked.length],
    ["consumed is the number of links", consumed === linked.length],
    ["no result is consumed twice", new Set(linked).size === linked.length],
    [
      "an execution is decided by one call, or says that it could be two",
      told(spans, "execute_tool").every((span) =>
        span.attributes[Attribute.toolspanLinkAmbiguous] === true || span.links.length > 0 ||
        // A history of another app, or of a turn that failed.
        span.attributes[Attribute.toolspanApprovalState] === "approved"
      )
    ],
    [
      "a result that could be of two calls leads to neither",
      told(spans, "tool_result").every((span) =>
        span.attributes[Attribute.toolspanLinkAmbiguous] !== true || span.links.length === 0
      )
    ],
    [
      "links of a call lead to the same call",
      spans.every((span) =>
        kindOf(span) === "chat" || span.links.every((link) => {
          const target = byId.get(link.spanId)
          return target === undefined ||
            target.attributes[Attribute.genAiToolCallId] === span.attributes[Attribute.genAiToolCallId]
        })
      )
    ]
  ]
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule)
}

/** How many handlers began. */
export const handlersStarted = (told: Played) => told.host.filter((line) => line.startsWith("start ")).length
