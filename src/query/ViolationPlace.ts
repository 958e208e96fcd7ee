/** Which call's story a reported fault belongs to. */
import type { CallGroup } from "./CallGroup.ts"
import * as SpanName from "../semconv/span.ts"
import { present } from "./Fact.ts"
import * as SpanIndex from "./SpanIndex.ts"
import * as Reading from "./SpanReading.ts"
import type { Story } from "./Story.ts"
import type { ToolCall } from "./ToolCall.ts"
import { type NamedViolation, violationsOf } from "./Violation.ts"

/** A call whose story is about to be told. */
export interface Draft {
  readonly group: CallGroup
  readonly consumers: ReadonlyArray<Reading.SpanRow>
  readonly call: ToolCall
}

/** Faults by draft, and those that name no draft or could mean two, by the call that they name. */
export interface Places {
  readonly placed: ReadonlyArray<ReadonlyArray<NamedViolation>>
  readonly homeless: ReadonlyArray<ReadonlyArray<NamedViolation>>
}

/** How near a fault is to a call: told by the call's own turns, in its conversation, in its trace, or elsewhere. */
const nearness = { own: 3, conversation: 2, trace: 1, elsewhere: 0 }

/** Gives each fault to the call it names, in the order of time. */
export const place = (drafts: ReadonlyArray<Draft>, spans: SpanIndex.SpanIndex): Places => {
  const placed = drafts.map((): Array<NamedViolation> => [])
  const homeless = new Map<string, Array<NamedViolation>>()
  const around = drafts.map((draft) => surroundings(draft, spans))
  const rows = [...spans.all()].filter((row) => row.events.length > 0)
  for (const named of rows.flatMap(violationsOf).toSorted(byInstant)) {
    const near = drafts.map((draft, index) => nearnessOf(named, draft, around[index]!))
    const best = Math.max(-1, ...near)
    const owners = near.flatMap((value, index) => value === best && value >= 0 ? [index] : [])
    // Within one conversation two stories of one key are both meant; further off that would be a guess.
    if (owners.length === 1 || best >= nearness.conversation) { for (const owner of owners) placed[owner]!.push(named) }
    else {
      const scope = JSON.stringify([Reading.conversationOf(named.row) ?? named.row.traceId, named.key ?? null])
      const group = homeless.get(scope)
      if (group === undefined) homeless.set(scope, [named])
      else group.push(named)
    }
  }
  return { placed, homeless: [...homeless.values()] }
}

const nearnessOf = (named: NamedViolation, { call }: Draft, around: ReadonlySet<string>): number => {
  if (named.key === undefined || named.key !== call.key) return -1
  if (around.has(Reading.addressText(named.row))) return nearness.own
  const conversation = Reading.conversationOf(named.row)
  if (conversation !== undefined && call.conversation !== undefined) {
    return conversation === call.conversation ? nearness.conversation : -1
  }
  return call.traces.includes(named.row.traceId) ? nearness.trace : nearness.elsewhere
}

/** The spans that the call's stages hang from, and those that used its result. */
const surroundings = ({ consumers, group }: Draft, spans: SpanIndex.SpanIndex): ReadonlySet<string> =>
  new Set(
    [...group.rows, ...consumers].flatMap((row) => [row, ...SpanIndex.ancestors(spans, row)]).map(Reading.addressText)
  )

/** The story of a call of which only faults are known. */
export const storyOfFaults = (faults: ReadonlyArray<NamedViolation>): Story => {
  const first = faults[0]!
  const tool = faults.find(({ violation }) => violation.tool !== undefined)?.violation.tool
  return {
    call: {
      key: first.key ?? "",
      ...present("id", first.id),
      tool: tool ?? SpanName.unknownTool,
      known: tool !== undefined,
      providerExecuted: false,
      ...present("conversation", Reading.conversationOf(first.row)),
      services: [...new Set(faults.flatMap(({ row }) => Reading.serviceOf(row) ?? []))],
      startedAt: first.violation.at,
      endedAt: faults.at(-1)!.violation.at,
      executions: 0,
      traces: [...new Set(faults.map(({ row }) => row.traceId))]
    },
    decisions: [],
    approvals: [],
    executions: [],
    results: [],
    consumers: [],
    violations: faults.map(({ violation }) => violation),
    traces: []
  }
}

const byInstant = (a: NamedViolation, b: NamedViolation) =>
  a.violation.at < b.violation.at ? -1 : a.violation.at > b.violation.at ? 1 : 0
