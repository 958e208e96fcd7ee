/**
 * The store's answers worked out the slow and obvious way, from spans that a test drew.
 */
import type { CallFilter, CallSort } from "../../src/store/TraceReader.ts"

/** A span as a test draws it; its number is also its place in time, and the last digits of its id. */
export interface Drawn {
  readonly number: number
  readonly trace: number
  readonly stage: "decision" | "approval" | "execution" | "result" | undefined
  readonly key: string | undefined
  readonly id: string | undefined
  readonly tool: string | undefined
  readonly requested: string | undefined
  readonly state: string | undefined
  readonly outcome: string | undefined
  readonly event: "requested" | "resolved" | undefined
  /** Milliseconds. */
  readonly wait: number | undefined
  readonly conversation: string | undefined
  readonly service: string
  readonly ambiguous: boolean
  /** Unix nanoseconds. */
  readonly start: bigint
  /** Milliseconds, no two alike. */
  readonly took: number
  readonly content: string | undefined
  readonly link: { readonly trace: number; readonly span: number; readonly joins: boolean } | undefined
  readonly fault: { readonly kind: string; readonly key: string } | undefined
}

/** A call of the model. */
export interface ModelCall {
  readonly spans: ReadonlyArray<Drawn>
  readonly key: string
  readonly id: string | undefined
  readonly tool: string
  readonly state: string | undefined
  readonly outcome: string | undefined
  readonly conversation: string | undefined
  readonly service: string
  readonly started: bigint
  readonly execution: number | undefined
  readonly wait: number | undefined
  readonly faults: ReadonlyArray<string>
}

const name = (trace: number, number: number) => `${trace}/${number}`

type Group = Set<Drawn>

const keyOf = (span: Drawn) => span.key ?? span.id

const isDecided = (group: Group) => [...group].some(({ stage }) => stage === "decision")

/** Spans that links lead between, also over spans that never arrived. */
const byLinks = (spans: ReadonlyArray<Drawn>): Array<Group> => {
  const edges = spans.flatMap((span) =>
    span.link?.joins === true ? [[name(span.trace, span.number), name(span.link.trace, span.link.span)] as const] : []
  )
  const left = new Set(spans)
  const groups: Array<Group> = []
  for (const first of spans) {
    if (!left.has(first)) continue
    const reached = new Set([name(first.trace, first.number)])
    for (let size = 0; size !== reached.size;) {
      size = reached.size
      for (const [a, b] of edges) {
        if (reached.has(a)) reached.add(b)
        if (reached.has(b)) reached.add(a)
      }
    }
    const group = new Set([...left].filter((span) => reached.has(name(span.trace, span.number))))
    for (const span of group) left.delete(span)
    groups.push(group)
  }
  return groups
}

/** Joins the groups that have a span of one scope, unless two of them were decided. */
const byScope = (groups: Array<Group>, spans: ReadonlyArray<Drawn>, scopeOf: (span: Drawn) => string | undefined) => {
  for (const scope of new Set(spans.flatMap((span) => scopeOf(span) ?? []))) {
    const together = groups.filter((group) => [...group].some((span) => scopeOf(span) === scope))
    if (together.filter(isDecided).length > 1) continue
    const joined = new Set(together.flatMap((group) => [...group]))
    for (const group of together) groups.splice(groups.indexOf(group), 1)
    groups.push(joined)
  }
}

const facts = (spans: ReadonlyArray<Drawn>): Omit<ModelCall, "faults"> => {
  const first = <A>(value: (span: Drawn) => A | undefined) => spans.map(value).find((found) => found !== undefined)
  const last = (stage: Drawn["stage"]) => spans.filter((span) => span.stage === stage).at(-1)
  const answer = spans.filter(({ event, stage }) => stage === "approval" && event === "resolved").at(-1)
  const asked = spans.find(({ event, stage }) => stage === "approval" && event === "requested")
  const answered = spans.filter(({ event, stage, state }) =>
    stage === "approval" && event !== "requested" && state !== undefined
  )
  return {
    spans,
    key: first(keyOf) ?? "",
    id: first(({ id }) => id),
    tool: first(({ tool }) => tool) ?? first(({ requested }) => requested) ?? "_unknown",
    state: (answered.at(-1) ?? spans.filter(({ state }) => state !== undefined).at(-1))?.state,
    // An outcome of a run counts where no result has arrived, or the last one does not say.
    outcome: last("result")?.outcome ?? last("execution")?.outcome,
    conversation: first(({ conversation }) => conversation),
    service: first(({ service }) => service)!,
    started: spans[0]!.start,
    execution: last("execution")?.took,
    wait: answer === undefined
      ? undefined
      : answer.wait ?? (asked === undefined ? undefined : Number(answer.start - asked.start) / 1e6)
  }
}

/** All calls of these spans, which are in the order of time. */
export const callsOf = (all: ReadonlyArray<Drawn>): ReadonlyArray<ModelCall> => {
  const spans = all.filter(({ stage }) => stage !== undefined)
  const groups = byLinks(spans)
  byScope(groups, spans, (span) =>
    keyOf(span) === undefined || span.ambiguous
      ? undefined
      : JSON.stringify([span.trace, span.conversation ?? null, keyOf(span)]))
  byScope(
    groups,
    spans,
    (span) =>
      keyOf(span) === undefined || span.ambiguous || span.conversation === undefined || keyOf(span)!.startsWith("?")
        ? undefined
        : JSON.stringify([span.conversation, keyOf(span)])
  )
  const calls = groups.map((group) => facts([...group].toSorted((a, b) => a.number - b.number)))
  const owners = all.flatMap((span) => {
    const { conversation, fault, trace } = span
    if (fault === undefined) return []
    const named = calls.filter(({ key }) => key === fault.key)
    const near = [
      conversation === undefined ? [] : named.filter((call) => call.conversation === conversation),
      named.filter((call) => call.spans.some((one) => one.trace === trace)),
      named
    ]
    const owner = near.find(({ length }) => length === 1)?.[0]
    return owner === undefined ? [] : [{ owner, kind: fault.kind }]
  })
  return calls.map((call) => ({
    ...call,
    faults: owners.flatMap(({ kind, owner }) => owner === call ? [kind] : [])
  }))
}

/** Whether a call fits. */
export const fits = (call: ModelCall, filter: CallFilter): boolean => {
  const { from, id, idPrefix = "", key, maxExecution, minExecution, text = "", until, violation } = filter
  const begins = (prefix: string) => call.key.startsWith(prefix) || (call.id ?? "\0").startsWith(prefix)
  const exact = (["tool", "state", "outcome", "conversation", "service"] as const).every((field) =>
    filter[field] === undefined || filter[field] === call[field]
  )
  const holds = (content: string | undefined) =>
    text.length >= 3 && content !== undefined && content.toLowerCase().includes(text.toLowerCase())
  return exact
    && (id === undefined || id === call.id || id === call.key)
    && (key === undefined || key === call.key)
    && begins(idPrefix)
    && (violation === undefined || call.faults.includes(violation))
    && (from === undefined || call.started >= from)
    && (until === undefined || call.started < until)
    && (minExecution === undefined || (call.execution !== undefined && call.execution >= minExecution))
    && (maxExecution === undefined || (call.execution !== undefined && call.execution <= maxExecution))
    && (text === "" || begins(text) || call.tool.toLowerCase().includes(text.toLowerCase())
      || call.spans.some(({ content }) => holds(content)))
}

const valueOf = (call: ModelCall, sort: CallSort): number | undefined =>
  sort === "slowest"
    ? call.execution
    : sort === "longest-wait"
    ? call.wait
    : Number(call.started - 1_700_000_000_000_000_000n)

/** The calls that fit, in order. */
export const find = (
  calls: ReadonlyArray<ModelCall>,
  filter: CallFilter,
  sort: CallSort
): ReadonlyArray<ReadonlyArray<number>> =>
  calls.filter((call) => fits(call, filter) && valueOf(call, sort) !== undefined)
    .toSorted((a, b) => (valueOf(b, sort)! - valueOf(a, sort)!) * (sort === "oldest" ? -1 : 1))
    .map(({ spans }) => spans.map(({ number }) => number))
