/** Which stage spans belong to one tool call: what the store's grouping says, over rows. */
import * as CallGrouping from "../store/CallGrouping.ts"
import * as StageSpan from "../store/StageSpan.ts"
import * as Reading from "./SpanReading.ts"

/** The stage spans of one call, by start time. */
export interface CallGroup {
  readonly rows: ReadonlyArray<Reading.SpanRow>
}

/** Groups stage spans into calls, the newest call first. Rows that are no stage spans are left out. */
export const groupCalls = (rows: Iterable<Reading.SpanRow>): ReadonlyArray<CallGroup> => {
  const distinct = new Map([...rows].map((row) => [Reading.addressText(row), row])).values()
  const spans = [...distinct].flatMap((row) => {
    const span = StageSpan.ofRow(row)
    return span === undefined ? [] : [{ ...span, row }]
  })
  return CallGrouping.group(spans).map((members) => ({ rows: members.map(({ row }) => row) })).toSorted((a, b) =>
    byTime(b.rows[0]!, a.rows[0]!)
  )
}

/** Order by start, then end, then identity, so that equal times have one order. */
export const byTime = (a: Reading.SpanRow, b: Reading.SpanRow): number => {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1
  if (a.end !== b.end) return a.end < b.end ? -1 : 1
  return Reading.addressText(a) < Reading.addressText(b) ? -1 : 1
}
