/**
 * Which stage spans belong to one tool call.
 *
 * Links join spans wherever they are. A key joins only where it cannot mean two calls: within one conversation, or within
 * one trace when no conversation was named, and never two decisions. What nothing joins stays apart.
 */
import * as Attribute from "../semconv/attribute.ts"
import * as Reading from "./SpanReading.ts"

/** The stage spans of one call, by start time. */
export interface CallGroup {
  readonly rows: ReadonlyArray<Reading.SpanRow>
}

/** A set of span addresses in which any two can be found joined or not. */
interface Joined {
  readonly join: (a: string, b: string) => void
  readonly root: (address: string) => string
}

const makeJoined = (): Joined => {
  const parents = new Map<string, string>()
  const root = (address: string): string => {
    let current = address
    for (let parent = parents.get(current); parent !== undefined; parent = parents.get(current)) current = parent
    if (current !== address) parents.set(address, current)
    return current
  }
  return {
    root,
    join: (a, b) => {
      const [from, to] = [root(a), root(b)]
      if (from !== to) parents.set(from, to)
    }
  }
}

/** Where a key means one call: the conversation when it is known, else the trace. */
const traceScope = (row: Reading.SpanRow, key: string) =>
  JSON.stringify([row.traceId, Reading.conversationOf(row) ?? null, key])

const conversationScope = (row: Reading.SpanRow, key: string) => {
  const conversation = Reading.conversationOf(row)
  return conversation === undefined ? undefined : JSON.stringify([conversation, key])
}

/** A key that stands for a call without an id (`?1`) counts only the calls of one response: it never joins traces. */
const isPlaceholder = (key: string) => key.startsWith("?")

/** Groups stage spans into calls, the newest call first. Rows that are no stage spans are left out. */
export const groupCalls = (rows: Iterable<Reading.SpanRow>): ReadonlyArray<CallGroup> => {
  const joined = makeJoined()
  const stageRows = [...new Map([...rows].map((row) => [Reading.addressText(row), row])).values()].filter((row) =>
    Reading.stageOf(row) !== undefined
  )
  for (const row of stageRows) {
    for (const link of Reading.linksOf(row)) {
      if (link.type !== "consumes") joined.join(Reading.addressText(row), Reading.addressText(link))
    }
  }
  joinByKey(joined, stageRows, traceScope)
  joinByKey(joined, stageRows, (row, key) => isPlaceholder(key) ? undefined : conversationScope(row, key))
  const groups = new Map<string, Array<Reading.SpanRow>>()
  for (const row of stageRows) append(groups, joined.root(Reading.addressText(row)), row)
  return [...groups.values()].map((group) => ({ rows: group.toSorted(byTime) })).toSorted((a, b) =>
    byTime(b.rows[0]!, a.rows[0]!)
  )
}

const joinByKey = (
  joined: Joined,
  rows: ReadonlyArray<Reading.SpanRow>,
  scopeOf: (row: Reading.SpanRow, key: string) => string | undefined
) => {
  const scopes = new Map<string, Array<Reading.SpanRow>>()
  for (const row of rows) {
    const key = Reading.keyOf(row)
    const scope = key === undefined ? undefined : scopeOf(row, key)
    // The writer saw that this span could belong to two calls: a key says no more than it did then.
    if (scope === undefined || Reading.flag(row.attributes, Attribute.toolspanLinkAmbiguous)) continue
    append(scopes, scope, row)
  }
  const decided = new Set(
    rows.filter((row) => Reading.stageOf(row) === "decision").map((row) => joined.root(Reading.addressText(row)))
  )
  for (const members of scopes.values()) {
    const roots = new Set(members.map((row) => joined.root(Reading.addressText(row))))
    const decisions = [...roots].filter((root) => decided.has(root))
    if (decisions.length > 1) continue
    const first = decisions[0] ?? [...roots][0]!
    for (const root of roots) joined.join(root, first)
  }
}

const append = <K, V>(groups: Map<K, Array<V>>, key: K, value: V) => {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [value])
  else group.push(value)
}

/** Order by start, then end, then identity, so that equal times have one order. */
export const byTime = (a: Reading.SpanRow, b: Reading.SpanRow): number => {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1
  if (a.end !== b.end) return a.end < b.end ? -1 : 1
  return Reading.addressText(a) < Reading.addressText(b) ? -1 : 1
}
