/** What holds in every run, whatever the case says. */
import * as Attribute from "../../../src/semconv/attribute.ts"
import { kindOf, type SpanRecord, stageNames, type Trail } from "../trail.ts"
import { checkRegistry } from "./registry.ts"
import { checkTwins } from "./twins.ts"
import { show } from "./value.ts"
import { checkViolationCounts } from "./violation-counts.ts"

/** What the runner knows of a run beside its telemetry. */
export interface Known {
  /** For each request that the provider got: does its answer tell the usage? */
  readonly usage: ReadonlyArray<boolean>
  /** The turn did not go to its end: not every answer was read. */
  readonly failed: boolean
  readonly openCalls: number | undefined
  /** Faults inside toolspan that it kept away from the app. */
  readonly internalErrors: number
  /** Approvals that the prompts ask for and do not answer. */
  readonly pending: number
}

const once = (trail: Trail): ReadonlyArray<string> =>
  [...trail.started.keys()].flatMap((id) => {
    const name = trail.spans.find((span) => span.spanId === id)?.name ?? id
    const counts = [trail.started.get(id), trail.ended.get(id) ?? 0, trail.exported.get(id) ?? 0]
    return counts.every((count) => count === 1)
      ? []
      : [`span ${name}: expected started, ended and exported once, came ${counts.join(", ")}`]
  })

const ids = (span: SpanRecord): ReadonlyArray<unknown> =>
  [
    Attribute.genAiToolCallId,
    Attribute.toolspanCallKey,
    Attribute.toolspanApprovalId,
    Attribute.genAiResponseId,
    Attribute.genAiConversationId,
    Attribute.toolspanCallWireItemId
  ].map((key) => span.attributes[key])

const idsInNames = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> => {
  const known = new Set(spans.flatMap(ids).filter((id) => typeof id === "string" && id !== "") as Array<string>)
  return spans.filter((span) => {
    const words = span.name.split(" ")
    return [...known].some((id) => words.slice(1).includes(id) || (id.length >= 6 && span.name.includes(id)))
  }).map((span) => `span name ${span.name}: it has an id in it`)
}

const blanks = ["undefined", "null", "[object Object]"]

const blankTexts = (span: SpanRecord): ReadonlyArray<string> =>
  Object.entries(span.attributes).filter(([, value]) => [value].flat().some((item) => blanks.includes(String(item))))
    .map(([key, value]) => `${span.name}: ${key} is ${show(value)}`)

const inference = (spans: ReadonlyArray<SpanRecord>, known: Known): ReadonlyArray<string> => {
  const chats = spans.filter((span) => kindOf(span) === "chat")
  const failures: Array<string> = []
  if (chats.length !== known.usage.length) {
    failures.push(`chat spans: expected one for each of ${known.usage.length} provider requests, came ${chats.length}`)
  }
  for (const span of spans) {
    const operation = span.attributes[Attribute.genAiOperationName]
    const isChat = kindOf(span) === "chat"
    if (isChat !== (operation === "chat")) {
      failures.push(`${span.name}: ${Attribute.genAiOperationName} is ${show(operation)}`)
    }
    if (!isChat && kindOf(span) !== "execute_tool" && operation !== undefined) {
      failures.push(`${span.name}: ${Attribute.genAiOperationName} is ${show(operation)}`)
    }
    const usage = Object.keys(span.attributes).filter((key) => key.startsWith("gen_ai.usage."))
    if (!isChat && usage.length > 0) failures.push(`${span.name}: it has ${usage.join(", ")}`)
  }
  const told = known.usage.filter(Boolean).length
  const have = chats.filter((span) => span.attributes[Attribute.genAiUsageInputTokens] !== undefined).length
  if (!known.failed && have < told) failures.push(`chat spans with usage: expected ${told}, came ${have}`)
  return failures
}

/** No `execute_tool` span above another, and what a handler opens hangs below its call. */
const nesting = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const failures: Array<string> = []
  for (const span of spans) {
    const parent = byId.get(span.parentSpanId ?? "")
    if (span.name === "handler of the app" && (parent === undefined || kindOf(parent) !== "execute_tool")) {
      failures.push(`a span of a handler: expected an execute_tool parent, came ${parent?.name ?? "none"}`)
    }
    if (kindOf(span) !== "execute_tool") continue
    // A handler that runs a model of its own has that turn's calls below it.
    for (let up = parent; up !== undefined && kindOf(up) !== "turn"; up = byId.get(up.parentSpanId ?? "")) {
      if (kindOf(up) === "execute_tool") failures.push(`${span.name}: it is below ${up.name}`)
    }
  }
  return failures
}

const consumed = (spans: ReadonlyArray<SpanRecord>): Set<string> =>
  new Set(
    spans.flatMap((span) => span.links).filter((link) => link.attributes[Attribute.toolspanLinkType] === "consumes")
      .map((link) => link.spanId)
  )

/** The calls that may still be remembered: decided, asked for, run or answered, and not yet carried by a request. */
export const waitingCalls = (spans: ReadonlyArray<SpanRecord>): number => {
  const carried = consumed(spans)
  const stages = spans.filter((span) => (stageNames as ReadonlyArray<string>).includes(kindOf(span)))
  const callOf = (span: SpanRecord) =>
    [Attribute.genAiConversationId, Attribute.toolspanCallKey].map((key) => String(span.attributes[key])).join(" ")
  const isDone = (span: SpanRecord) =>
    carried.has(span.spanId) || span.attributes[Attribute.toolspanApprovalEvent] === "abandoned" ||
    span.attributes[Attribute.toolspanCallIncomplete] === true
  const waiting = [...new Set(stages.map(callOf))].map((call) => {
    const own = stages.filter((span) => callOf(span) === call)
    const seen = stageNames.map((name) => own.filter((span) => kindOf(span) === name).length)
    return Math.max(0, Math.max(...seen) - own.filter(isDone).length)
  })
  return waiting.reduce((sum, count) => sum + count, 0)
}

const memory = (spans: ReadonlyArray<SpanRecord>, known: Known): ReadonlyArray<string> =>
  known.openCalls !== undefined && known.openCalls > waitingCalls(spans) + known.pending
    ? [`open calls after the run: expected at most ${waitingCalls(spans) + known.pending}, came ${known.openCalls}`]
    : []

export const checkAlways = (trail: Trail, known: Known): ReadonlyArray<string> => {
  const ours = trail.spans.filter((span) => !["turn", "other"].includes(kindOf(span)))
  return [
    ...once(trail),
    ...checkRegistry(trail.spans),
    ...ours.flatMap(blankTexts),
    ...idsInNames(trail.spans),
    ...checkTwins(trail.spans),
    ...inference(trail.spans, known),
    ...nesting(trail.spans),
    ...checkViolationCounts(trail.spans),
    ...memory(trail.spans, known),
    ...(known.internalErrors === 0 ? [] : [`faults inside toolspan: ${known.internalErrors}`])
  ]
}
