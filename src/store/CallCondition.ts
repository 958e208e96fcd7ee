/**
 * The filter of calls as SQL conditions.
 */
import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import * as CapturedText from "./CapturedText.ts"
import { startColumn } from "./SpanRecord.ts"
import type { CallFilter, CallPageOptions, CallSort } from "./TraceReader.ts"

/** A condition on the table `call`, with its values. */
export interface Condition {
  readonly text: string
  readonly values: ReadonlyArray<SQLInputValue>
}

/** The value that each order goes by, its direction, and what keeps calls without the value out. */
export const orders: Readonly<Record<CallSort, { readonly column: string; readonly down: boolean }>> = {
  newest: { column: "started", down: true },
  oldest: { column: "started", down: false },
  slowest: { column: "execution", down: true },
  "longest-wait": { column: "wait", down: true }
}

/** The first text after all that begin so. */
const afterPrefix = (prefix: string): string => `${prefix}\u{10ffff}`

/** A text as one phrase of a full text search. */
const phrase = (text: string): string => `"${text.replaceAll("\"", "\"\"")}"`

/** Calls that are looked at to see how rare a value is. */
const sampled = 2_000

/** A tool's names are few; reading them all by its index takes one step each. */
const toolsHolding = `
  with recursive name (tool) as (
    select min(tool) from call
    union all
    select (select min(tool) from call where call.tool > name.tool) from name where tool is not null
  )
  select tool from name where tool is not null and instr(lower(tool), lower(?)) > 0 limit 200`

/**
 * A value that hits few calls chooses the index; the others are checked call by call. SQLite has no statistics here and
 * cannot know which is rare.
 */
const rarest = (database: DatabaseSync, candidates: ReadonlyArray<readonly [string, string]>): string | undefined => {
  if (candidates.length < 2) return candidates[0]?.[0]
  const counts = candidates.map(([column, value]): readonly [string, number] => {
    const query = `select count(*) as count from (select 1 from call where ${column} = ? limit ${sampled})`
    return [column, (database.prepare(query).get(value) as { readonly count: number }).count]
  })
  return counts.reduce((least, entry) => entry[1] < least[1] ? entry : least)[0]
}

const textCondition = (database: DatabaseSync, text: string): Condition => {
  const values: Array<SQLInputValue> = [text, afterPrefix(text), text, afterPrefix(text)]
  const parts = [
    "select id from call where key >= ? and key < ?",
    "select id from call where call_id >= ? and call_id < ? and call_id is not key"
  ]
  if ([...text].length >= CapturedText.shortest && !text.includes("\0")) {
    parts.push("select call from call_span where id in (select rowid from content where content match ?)")
    values.push(phrase(text))
  }
  const tools = database.prepare(toolsHolding).all(text).map((record) => String(record["tool"]))
  const tool = tools.length === 0 ? "" : ` or call.tool in (${tools.map(() => "?").join(", ")})`
  return { text: `(call.id in (${parts.join(" union all ")})${tool})`, values: [...values, ...tools] }
}

/** The conditions of a filter. A column with a `+` before it is kept from choosing the index. */
export const ofFilter = (database: DatabaseSync, filter: CallFilter): ReadonlyArray<Condition> => {
  const conditions: Array<Condition> = []
  const add = (text: string, ...values: ReadonlyArray<SQLInputValue>) => {
    conditions.push({ text, values })
  }
  // Among values that are as common, the index of the first has the columns of those behind it.
  const columns = [
    ["tool", filter.tool],
    ["service", filter.service],
    ["outcome", filter.outcome],
    ["state", filter.state]
  ] as const
  const given = columns.flatMap(([column, value]) => value === undefined ? [] : [[column, value] as const])
  let chosen = filter.key !== undefined || filter.id !== undefined
  if (filter.key !== undefined) add("call.key = ?", filter.key)
  if (filter.id !== undefined) {
    add(
      `${filter.key === undefined ? "" : "+"}call.id in (select id from call where key = ?
        union all select id from call where call_id = ? and call_id is not key)`,
      filter.id,
      filter.id
    )
  }
  if (filter.idPrefix !== undefined && filter.idPrefix !== "") {
    add(
      `${chosen ? "+" : ""}call.id in (select id from call where key >= ? and key < ?
        union all select id from call where call_id >= ? and call_id < ? and call_id is not key)`,
      filter.idPrefix,
      afterPrefix(filter.idPrefix),
      filter.idPrefix,
      afterPrefix(filter.idPrefix)
    )
    chosen = true
  }
  if (filter.conversation !== undefined) {
    add(`${chosen ? "+" : ""}call.conversation = ?`, filter.conversation)
    chosen = true
  }
  if (filter.violation !== undefined) {
    add(`${chosen ? "+" : ""}call.id in (select call from violation where kind = ?)`, filter.violation)
    chosen = true
  }
  const index = chosen ? undefined : rarest(database, given)
  for (const [column, value] of given) add(`${column === index ? "" : "+"}call.${column} = ?`, value)
  if (filter.text !== undefined && filter.text !== "") conditions.push(textCondition(database, filter.text))
  if (filter.from !== undefined) add("call.started >= ?", startColumn(filter.from))
  if (filter.until !== undefined) add("call.started < ?", startColumn(filter.until))
  if (filter.minExecution !== undefined) add("call.execution >= ?", filter.minExecution)
  if (filter.maxExecution !== undefined) add("call.execution <= ?", filter.maxExecution)
  return conditions
}

/** The conditions that a page adds to those of the filter. */
export const ofPage = ({ after, sort = "newest" }: CallPageOptions): ReadonlyArray<Condition> => {
  const { column, down } = orders[sort]
  const there: ReadonlyArray<Condition> = column === "started"
    ? []
    : [{ text: `call.${column} is not null`, values: [] }]
  if (after === undefined) return there
  const value = typeof after.value === "bigint" ? startColumn(after.value) : after.value
  return [...there, { text: `(call.${column}, call.id) ${down ? "<" : ">"} (?, ?)`, values: [value, after.number] }]
}

/** All conditions as one text. */
export const all = (conditions: ReadonlyArray<Condition>): Condition => ({
  text: conditions.length === 0 ? "true" : conditions.map(({ text }) => text).join(" and "),
  values: conditions.flatMap(({ values }) => values)
})
