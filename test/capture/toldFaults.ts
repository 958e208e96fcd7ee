/** The faults that a run told, and those that the slow model says of the same turns. */
import * as Attribute from "../../src/semconv/attribute.ts"
import * as Event from "../../src/semconv/event.ts"
import { kindOf, type SpanRecord } from "../cases/trail.ts"
import type { SlowFault, SlowTools } from "./SlowTurn.ts"
import { slowFaults } from "./SlowTurn.ts"
import type { Played } from "./World.ts"

/** The tools of the world. */
const tools: SlowTools = {
  names: ["lookup", "add_note", "wipe", "search", "count"],
  wireNames: { search: "web_search" },
  wantApproval: ["wipe"],
  parameters: { lookup: "key", add_note: "text", wipe: "path", search: "key", count: "key" }
}

const line = (span: string, facts: ReadonlyArray<unknown>): string =>
  [span, ...facts.map((fact) => fact === undefined ? "-" : JSON.stringify(fact))].join(" ")

const lineOf = (fault: SlowFault): string =>
  line(fault.span, [
    fault.scope,
    fault.kind,
    fault.id,
    fault.name,
    fault.key,
    fault.approvalId,
    fault.otherName
  ])

const toldIn = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> =>
  spans.flatMap((span) =>
    span.events.filter((event) => event.name === Event.violation).map(({ attributes }) =>
      line(kindOf(span), [
        attributes[Attribute.toolspanViolationScope],
        attributes[Attribute.toolspanViolationKind],
        attributes[Attribute.genAiToolCallId],
        attributes[Attribute.genAiToolName],
        attributes[Attribute.toolspanCallKey],
        attributes[Attribute.toolspanApprovalId],
        attributes[Attribute.toolspanViolationOtherName]
      ])
    )
  )

/** What the first list has more of than the second. */
const beyond = (lines: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const rest = [...others]
  return lines.filter((line) => {
    const index = rest.indexOf(line)
    if (index >= 0) rest.splice(index, 1)
    return index < 0
  })
}

/** A span tells no more than 20 of its faults. */
const mostOfSpan = 20

/** A call of a decoded history is known again by its id, name and parameters, unless two apps at once have the same. */
const mayBeUnknown = (fault: SlowFault, shared: boolean): boolean =>
  fault.kind === "duplicate_execution" && (shared || fault.id === undefined)

/** How often each kind of fault was wanted, for those who ask whether a test meets them all. */
export type Met = Map<string, number>

/**
 * Where a run's faults differ from the model's. `shared`: two conversations of the run have the same calls, and nothing
 * tells them apart.
 */
export const unlike = ({ trail, turns }: Played, shared: boolean, met: Met = new Map()): ReadonlyArray<string> => {
  const ran = new Map<object, Set<string>>()
  return turns.flatMap((turn) => {
    const before = ran.get(turn.app) ?? new Set()
    ran.set(turn.app, before)
    const wanted = slowFaults(turn, tools, before)
    for (const { kind } of wanted) met.set(kind, (met.get(kind) ?? 0) + 1)
    const spans = trail.spans.filter((span) => span.traceId === turn.traceId)
    const told = toldIn(spans)
    const missing = beyond(wanted.filter((fault) => !mayBeUnknown(fault, shared)).map(lineOf), told)
    const isCut = (kind: SlowFault["span"]) => wanted.filter((fault) => fault.span === kind).length > mostOfSpan
    return [
      ...beyond(told, wanted.map(lineOf)).map((line) => `told for nothing: ${line}`),
      ...missing.filter((line) => !isCut(line.startsWith("chat") ? "chat" : "turn")).map((line) => `not told: ${line}`)
    ]
  })
}
