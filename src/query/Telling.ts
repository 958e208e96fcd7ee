/** Turns the spans of calls into their stories. */
import * as Attribute from "../semconv/attribute.ts"
import type { CallGroup } from "./CallGroup.ts"
import { byTime } from "./CallGroup.ts"
import { present } from "./Fact.ts"
import { millisBetween } from "./Instant.ts"
import * as SpanIndex from "./SpanIndex.ts"
import type { SpanRef } from "./SpanRef.ts"
import * as Reading from "./SpanReading.ts"
import type { Approval, Consumer, Decision, Execution, ResultPart, Story } from "./Story.ts"
import { storyTraces } from "./StoryTrace.ts"
import { summarize } from "./ToolCall.ts"
import * as ViolationPlace from "./ViolationPlace.ts"

/**
 * The stories of these calls. `spans` holds the whole traces that the calls touched; a fault that names a call goes to
 * that call's story, and one whose call cannot be told goes to a story of its own.
 */
export const tell = (groups: ReadonlyArray<CallGroup>, spans: SpanIndex.SpanIndex): ReadonlyArray<Story> => {
  const consumers = consumersOf(groups, spans)
  const drafts = groups.map((group, index) => ({
    group,
    consumers: consumers[index]!,
    call: summarize(group, spans)
  }))
  const { placed, homeless } = ViolationPlace.place(drafts, spans)
  return [
    ...drafts.map(({ call, consumers, group }, index): Story => {
      const of = (stage: string) => group.rows.filter((row) => Reading.stageOf(row) === stage)
      return {
        call,
        decisions: of("decision").map((row) => decision(row, spans)),
        approvals: approvals(of("approval")),
        executions: of("execution").map((row) => execution(row, spans)),
        results: of("result").map(resultPart),
        consumers: consumers.map((row) => consumer(row, of("result"), spans)),
        violations: placed[index]!.map(({ violation }) => violation),
        traces: storyTraces(group, consumers, spans)
      }
    }),
    ...homeless.map(ViolationPlace.storyOfFaults)
  ]
}

const consumersOf = (groups: ReadonlyArray<CallGroup>, spans: SpanIndex.SpanIndex) => {
  const owners = new Map<string, number>()
  groups.forEach((group, index) => {
    for (const row of group.rows) owners.set(Reading.addressText(row), index)
  })
  const consumers = groups.map((): Array<Reading.SpanRow> => [])
  for (const row of spans.all()) {
    const consumed = new Set(
      Reading.linksOf(row).filter((link) => link.type === "consumes").map((link) =>
        owners.get(Reading.addressText(link))
      )
    )
    for (const owner of consumed) if (owner !== undefined) consumers[owner]!.push(row)
  }
  return consumers.map((rows) => rows.toSorted(byTime))
}

const decision = (row: Reading.SpanRow, spans: SpanIndex.SpanIndex): Decision => {
  const chat = SpanIndex.chatOf(spans, row)
  return {
    at: row.end,
    span: refOf(row),
    durationMillis: millisBetween(row.start, row.end),
    ...present("model", SpanIndex.modelOf(spans, row)),
    ...present("provider", chat && Reading.text(chat.attributes, Attribute.genAiProviderName)),
    ...present("chat", chat && refOf(chat)),
    ...turnRef(row, spans),
    ...present("paramsBytes", Reading.number(row.attributes, Attribute.toolspanCallParamsBytes)),
    ...present("paramsDeltas", Reading.number(row.attributes, Attribute.toolspanCallParamsDeltas)),
    incomplete: Reading.flag(row.attributes, Attribute.toolspanCallIncomplete),
    ...present("arguments", Reading.text(row.attributes, Attribute.genAiToolCallArguments)),
    ...contentCut(row)
  }
}

const contentCut = ({ attributes }: Reading.SpanRow): { readonly contentCut?: true } =>
  Reading.flag(attributes, Attribute.toolspanContentTruncated) ? { contentCut: true } : {}

const approvals = (rows: ReadonlyArray<Reading.SpanRow>): ReadonlyArray<Approval> =>
  rows.map((row) => {
    const event = Reading.text(row.attributes, Attribute.toolspanApprovalEvent)
    const told = Reading.waitOf(row)
    const asked = event === "resolved" ? requestOf(row, rows) : undefined
    return {
      at: row.start,
      span: refOf(row),
      ...present("event", event),
      ...present("state", Reading.text(row.attributes, Attribute.toolspanApprovalState)),
      ...present("approvalId", Reading.text(row.attributes, Attribute.toolspanApprovalId)),
      ...present("waitMillis", told ?? (asked && millisBetween(asked.start, row.start))),
      ...present("reason", Reading.text(row.attributes, Attribute.toolspanApprovalReason))
    }
  })

/** The request that an answer answers: by link, else by the approval's id, else the only one. */
const requestOf = (answer: Reading.SpanRow, rows: ReadonlyArray<Reading.SpanRow>) => {
  const requests = rows.filter((row) => Reading.text(row.attributes, Attribute.toolspanApprovalEvent) === "requested")
  const linked = new Set(
    Reading.linksOf(answer).filter((link) => link.type === "answers").map(Reading.addressText)
  )
  const id = Reading.text(answer.attributes, Attribute.toolspanApprovalId)
  return requests.find((row) => linked.has(Reading.addressText(row)))
    ?? requests.find((row) => id !== undefined && Reading.text(row.attributes, Attribute.toolspanApprovalId) === id)
    ?? (requests.length === 1 ? requests[0] : undefined)
}

const execution = (row: Reading.SpanRow, spans: SpanIndex.SpanIndex): Execution => ({
  at: row.start,
  span: refOf(row),
  durationMillis: millisBetween(row.start, row.end),
  ...present("outcome", Reading.text(row.attributes, Attribute.toolspanOutcome)),
  ...present("errorType", Reading.text(row.attributes, Attribute.errorType)),
  ...present("failureOrigin", Reading.text(row.attributes, Attribute.toolspanFailureOrigin)),
  ...present("failureMode", Reading.text(row.attributes, Attribute.toolspanFailureMode)),
  ...present("preliminary", Reading.number(row.attributes, Attribute.toolspanPreliminaryCount)),
  ...turnRef(row, spans),
  inside: SpanIndex.descendants(spans, row, Infinity).length,
  ...present("arguments", Reading.text(row.attributes, Attribute.genAiToolCallArguments)),
  ...present("result", Reading.text(row.attributes, Attribute.genAiToolCallResult)),
  ...present("errorMessage", Reading.text(row.attributes, Attribute.errorMessage)),
  ...contentCut(row)
})

const resultPart = (row: Reading.SpanRow): ResultPart => ({
  at: row.start,
  span: refOf(row),
  ...present("outcome", Reading.text(row.attributes, Attribute.toolspanOutcome)),
  ...present("origin", Reading.text(row.attributes, Attribute.toolspanResultOrigin)),
  ...present("bytes", Reading.number(row.attributes, Attribute.toolspanResultBytes)),
  ...present("result", Reading.text(row.attributes, Attribute.genAiToolCallResult)),
  ...contentCut(row)
})

const consumer = (
  row: Reading.SpanRow,
  results: ReadonlyArray<Reading.SpanRow>,
  spans: SpanIndex.SpanIndex
): Consumer => {
  const carried = new Set(Reading.linksOf(row).filter(({ type }) => type === "consumes").map(Reading.addressText))
  return {
    at: row.start,
    span: refOf(row),
    ...present("model", SpanIndex.modelOf(spans, row)),
    ...turnRef(row, spans),
    results: results.filter((result) => carried.has(Reading.addressText(result))).map(refOf)
  }
}

const turnRef = (row: Reading.SpanRow, spans: SpanIndex.SpanIndex) => {
  const turn = SpanIndex.turnOf(spans, row)
  return present("turn", turn && refOf(turn))
}

const refOf = (row: Reading.SpanRow): SpanRef => ({ traceId: row.traceId, spanId: row.spanId, name: row.name })
