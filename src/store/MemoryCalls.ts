/**
 * Calls and faults of a store in memory, worked out anew when they are asked for.
 */
import type { SpanRow } from "../otlp/SpanRow.ts"
import * as CallFacts from "./CallFacts.ts"
import * as CallGrouping from "./CallGrouping.ts"
import * as CapturedText from "./CapturedText.ts"
import * as StageSpan from "./StageSpan.ts"
import type {
  CallFilter,
  CallPageOptions,
  CallPlace,
  CallSort,
  StoredCall,
  StoredSpan,
  StoredViolation,
  ViolationFilter
} from "./TraceReader.ts"
import * as ToolFigure from "./ToolFigure.ts"
import * as ViolationEvent from "./ViolationEvent.ts"

/** A call with what it is searched by. */
export interface MemoryCall {
  readonly number: number
  readonly facts: CallFacts.CallFacts
  readonly spans: ReadonlyArray<StoredSpan>
  readonly kinds: ReadonlyArray<string>
}

/** A reported fault. */
export interface MemoryViolation {
  readonly sequence: number
  readonly span: StoredSpan
  readonly event: ViolationEvent.ViolationEvent
}

/** A fault with the tool that it is about. */
export interface ToolViolation extends MemoryViolation {
  readonly tool: string | undefined
}

/** All faults of these spans, by arrival. */
export const violationsOf = (spans: Iterable<StoredSpan>): ReadonlyArray<MemoryViolation> => {
  const found: Array<MemoryViolation> = []
  for (const span of spans) {
    for (const event of ViolationEvent.ofRow(span.row)) found.push({ sequence: found.length + 1, span, event })
  }
  return found
}

type Draft = Omit<MemoryCall, "kinds"> & { readonly kinds: Array<string> }

type Owner = Pick<MemoryCall, "facts" | "spans">

/** The one call that a fault can mean, the nearest first: in its conversation, in its trace, anywhere. */
const ownerOf = <Call extends Owner>(
  { event, span }: MemoryViolation,
  calls: ReadonlyArray<Call>,
  anywhere: boolean
): Call | undefined => {
  const named = event.key === undefined ? [] : calls.filter(({ facts }) => facts.key === event.key)
  const only = (found: ReadonlyArray<Call>) => found.length === 1 ? found[0] : undefined
  const inConversation = event.conversation === undefined
    ? undefined
    : only(named.filter(({ facts }) => facts.conversation === event.conversation))
  return inConversation
    ?? only(named.filter(({ spans }) => spans.some(({ row }) => row.traceId === span.row.traceId)))
    ?? (anywhere ? only(named) : undefined)
}

/** All calls of these spans; `anywhere` when these are all spans there are, so that a call can be the only one of its key. */
export const callsOf = (
  spans: Iterable<StoredSpan>,
  violations: ReadonlyArray<MemoryViolation>,
  anywhere = true
): ReadonlyArray<MemoryCall> => {
  const stages = [...spans].flatMap((stored) => {
    const stage = StageSpan.ofRow(stored.row)
    return stage === undefined ? [] : [{ ...stage, stored }]
  })
  const calls = CallGrouping.group(stages).map((members): Draft => ({
    number: Math.min(...members.map(({ stored }) => stored.sequence)),
    facts: CallFacts.ofSpans(members),
    spans: members.map(({ stored }) => stored),
    kinds: []
  }))
  for (const violation of violations) ownerOf(violation, calls, anywhere)?.kinds.push(violation.event.kind)
  return calls
}

/** The faults with the tool that each names, else that of the call that it names. */
export const withTools = (
  violations: ReadonlyArray<MemoryViolation>,
  calls: ReadonlyArray<MemoryCall>,
  anywhere = true
): ReadonlyArray<ToolViolation> =>
  violations.map((violation) => ({
    ...violation,
    tool: violation.event.tool ?? ownerOf(violation, calls, anywhere)?.facts.tool
  }))

/** Whether the fault fits, but for `after`. */
export const fitsViolation = ({ event, tool }: ToolViolation, filter: ViolationFilter): boolean =>
  (filter.kind === undefined || filter.kind === event.kind)
  && (filter.id === undefined || filter.id === event.id || filter.id === event.key)
  && (filter.tool === undefined || filter.tool === tool)
  && (filter.conversation === undefined || filter.conversation === event.conversation)

/** The fault as a reader gives it. */
export const storedViolation = ({ event, sequence, span, tool }: ToolViolation): StoredViolation => ({
  sequence,
  span,
  tool,
  index: event.index
})

/** ASCII letters only, as SQLite does. */
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const contentHolds = ({ row }: { readonly row: SpanRow }, text: string): boolean =>
  [...text].length >= CapturedText.shortest && lower(CapturedText.ofRow(row) ?? "").includes(lower(text))

const fitsText = ({ facts, spans }: MemoryCall, text: string): boolean =>
  facts.key.startsWith(text) || facts.id?.startsWith(text) === true || lower(facts.tool).includes(lower(text))
  || spans.some((span) => contentHolds(span, text))

/** Whether the call fits. */
export const fits = (call: MemoryCall, filter: CallFilter): boolean => {
  const { facts } = call
  const same = (wanted: string | undefined, value: string | undefined) => wanted === undefined || wanted === value
  const prefix = filter.idPrefix ?? ""
  return same(filter.key, facts.key)
    && same(filter.tool, facts.tool)
    && same(filter.state, facts.state)
    && same(filter.outcome, facts.outcome)
    && same(filter.conversation, facts.conversation)
    && same(filter.service, facts.service)
    && (filter.id === undefined || filter.id === facts.id || filter.id === facts.key)
    && (facts.key.startsWith(prefix) || facts.id?.startsWith(prefix) === true)
    && (filter.violation === undefined || call.kinds.includes(filter.violation))
    && (filter.from === undefined || facts.started >= filter.from)
    && (filter.until === undefined || facts.started < filter.until)
    && (filter.minExecution === undefined || (facts.execution !== undefined && facts.execution >= filter.minExecution))
    && (filter.maxExecution === undefined || (facts.execution !== undefined && facts.execution <= filter.maxExecution))
    && (filter.text === undefined || filter.text === "" || fitsText(call, filter.text))
}

const valueOf = (sort: CallSort, { facts }: MemoryCall): bigint | number | undefined =>
  sort === "slowest" ? facts.execution : sort === "longest-wait" ? facts.wait : facts.started

const compare = (one: bigint | number, other: bigint | number): number => one < other ? -1 : one > other ? 1 : 0

const comparePlaces = (one: CallPlace, other: CallPlace): number =>
  compare(one.value, other.value) || compare(one.number, other.number)

/** A page of calls in order. */
export const page = (
  calls: ReadonlyArray<MemoryCall>,
  { after, limit, sort = "newest" }: CallPageOptions
): ReadonlyArray<StoredCall> => {
  const direction = sort === "oldest" ? 1 : -1
  return calls.flatMap((call): ReadonlyArray<StoredCall> => {
    const value = valueOf(sort, call)
    if (value === undefined) return []
    return [{
      number: call.number,
      place: { value, number: call.number },
      spans: call.spans,
      violations: call.kinds.length
    }]
  })
    .filter(({ place }) => after === undefined || direction * comparePlaces(place, after) > 0)
    .toSorted((one, other) => direction * comparePlaces(one.place, other.place))
    .slice(0, limit)
}

const figureOf = (tool: string, calls: ReadonlyArray<MemoryCall>, durations: number): ToolFigure.ToolFigure => {
  const newest = calls.slice(0, durations).map(({ facts }) => facts)
  return {
    tool,
    known: calls.some(({ facts }) => facts.known),
    calls: calls.length,
    failures: calls.filter(({ facts }) => ToolFigure.failures.has(facts.outcome)).length,
    pending: calls.filter(({ facts }) => facts.state === "pending").length,
    faults: calls.reduce((sum, { kinds }) => sum + kinds.length, 0),
    executions: newest.flatMap(({ execution }) => execution ?? []),
    waits: newest.flatMap(({ wait }) => wait ?? [])
  }
}

/** Figures of tools over the newest calls. */
export const figures = (calls: ReadonlyArray<MemoryCall>, limit: number): ReadonlyArray<ToolFigure.ToolFigure> => {
  const newest = calls.toSorted((one, other) =>
    compare(other.facts.started, one.facts.started) || other.number - one.number
  )
  const start = newest[limit - 1]?.facts.started ?? 0n
  const wanted = newest.filter(({ facts }) => facts.started >= start)
  const tools = [...Map.groupBy(wanted, ({ facts }) => facts.tool)]
    .toSorted(([tool, calls], [other, others]) => others.length - calls.length || (tool < other ? -1 : 1))
    .slice(0, ToolFigure.toolsAtMost)
  return tools.map(([tool, calls]) => figureOf(tool, calls, ToolFigure.durationsOfEach(tools.length)))
}

/** How many faults of each kind there are, the most frequent first. */
export const kindsOf = (
  violations: ReadonlyArray<MemoryViolation>
): ReadonlyArray<{ readonly kind: string; readonly count: number }> =>
  [...Map.groupBy(violations, ({ event }) => event.kind)]
    .map(([kind, found]) => ({ kind, count: found.length }))
    .toSorted((one, other) => other.count - one.count || (one.kind < other.kind ? -1 : 1))
