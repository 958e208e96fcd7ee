/**
 * The reading methods for calls and faults over an open SQLite database.
 */
import type { DatabaseSync } from "node:sqlite"
import * as CallCondition from "./CallCondition.ts"
import * as Sql from "./Sql.ts"
import * as StageSpan from "./StageSpan.ts"
import type {
  CallFilter,
  CallPageOptions,
  ChangedCalls,
  StoredCall,
  StoredSpan,
  StoredViolation,
  ViolationFilter
} from "./TraceReader.ts"

/** Spans of one call that are given, at most. */
const spansAtMost = 500

interface CallRecord {
  readonly id: number
  readonly value: string | number
  readonly violations: number
}

interface ViolationRecord {
  readonly sequence: number
  readonly place: number
  readonly tool: string | null
}

const byStart = (one: StoredSpan, other: StoredSpan): number =>
  one.row.start < other.row.start
    ? -1
    : one.row.start > other.row.start
    ? 1
    : one.row.end < other.row.end
    ? -1
    : one.row.end > other.row.end
    ? 1
    : StageSpan.addressOf(one.row) < StageSpan.addressOf(other.row)
    ? -1
    : 1

const violationCondition = (filter: ViolationFilter): CallCondition.Condition =>
  CallCondition.all([
    ...(filter.kind === undefined ? [] : [{ text: "violation.kind = ?", values: [filter.kind] }]),
    ...(filter.id === undefined
      ? []
      : [{ text: "(violation.key = ? or violation.call_id = ?)", values: [filter.id, filter.id] }]),
    ...(filter.tool === undefined
      ? []
      : [{
        text: `(violation.tool = ? or (violation.tool is null
          and exists (select 1 from call where call.id = violation.call and call.tool = ?)))`,
        values: [filter.tool, filter.tool]
      }]),
    ...(filter.conversation === undefined
      ? []
      : [{ text: "violation.conversation = ?", values: [filter.conversation] }]),
    ...(filter.after === undefined ? [] : [{ text: "violation.id < ?", values: [filter.after] }])
  ])

/** The reading methods for calls, which throw what SQLite throws and what `stored` does. */
export const make = (database: DatabaseSync, stored: (record: unknown) => StoredSpan) => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const readCallSpans = statement("readCallSpans")
  const changedStatement = statement("changedCalls")
  const lastCallSpan = statement("lastCallSpan")
  const kindsStatement = statement("violationKinds")
  const findCallsText = Sql.read("findCalls")
  const findViolationsText = Sql.read("findViolations")

  const callOf = ({ id, value, violations }: CallRecord): StoredCall => ({
    number: id,
    place: { value: typeof value === "string" ? BigInt(value) : value, number: id },
    spans: Array.from(readCallSpans.iterate(id, spansAtMost), stored).toSorted(byStart),
    violations
  })

  const query = (condition: CallCondition.Condition, page: CallPageOptions) => {
    const { column, down } = CallCondition.orders[page.sort ?? "newest"]
    const direction = down ? "desc" : "asc"
    const value = column === "started" ? "cast(call.started as text)" : `call.${column}`
    const text = findCallsText
      .replace(/(?<=, )null(?= as value)/, () => value)
      .replace("where true", () => `where ${condition.text}`)
      .replace("order by 1", () => `order by call.${column} ${direction}, call.id ${direction}`)
    return database.prepare(text).all(...condition.values, page.limit) as unknown as ReadonlyArray<CallRecord>
  }

  const findCalls = (filter: CallFilter, page: CallPageOptions): ReadonlyArray<StoredCall> =>
    query(
      CallCondition.all([...CallCondition.ofFilter(database, filter), ...CallCondition.ofPage(page)]),
      page
    ).map(callOf)

  const countCalls = (filter: CallFilter, atMost: number): number => {
    const { text, values } = CallCondition.all(CallCondition.ofFilter(database, filter))
    const query = `select count(*) as count from (select 1 from call where ${text} limit ?)`
    return (database.prepare(query).get(...values, atMost) as { readonly count: number }).count
  }

  const changedCalls = (after: number | undefined, limit: number): ChangedCalls => {
    const newest = (lastCallSpan.get() as { readonly id: number }).id
    // When all spans were taken out, numbers begin anew.
    if (after === undefined || after >= newest) return { calls: [], last: newest }
    const changes = changedStatement.all(after, limit) as unknown as ReadonlyArray<
      { readonly id: number; readonly call: number }
    >
    const calls = [...new Set(changes.map(({ call }) => call))].flatMap((call) =>
      query({ text: "call.id = ?", values: [call] }, { limit: 1 }).map(callOf)
    )
    return { calls, last: changes.at(-1)?.id ?? after }
  }

  const findViolations = (filter: ViolationFilter, limit: number): ReadonlyArray<StoredViolation> => {
    const { text, values } = violationCondition(filter)
    const query = findViolationsText.replace("where true", () => `where ${text}`)
    return Array.from(database.prepare(query).iterate(...values, limit), (record) => {
      const { place, sequence, tool } = record as unknown as ViolationRecord
      return { sequence, tool: tool ?? undefined, span: stored(record), index: place }
    })
  }

  const countViolations = (filter: ViolationFilter): number => {
    const { text, values } = violationCondition(filter)
    const query = `select count(*) as count from violation where ${text}`
    return (database.prepare(query).get(...values) as { readonly count: number }).count
  }

  const violationKinds = (): ReadonlyArray<{ readonly kind: string; readonly count: number }> =>
    kindsStatement.all().map((record) => ({ kind: String(record["kind"]), count: Number(record["count"]) }))

  return { findCalls, countCalls, changedCalls, findViolations, countViolations, violationKinds }
}
