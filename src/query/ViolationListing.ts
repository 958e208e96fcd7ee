/** Lists reported faults. */
import * as Effect from "effect/Effect"
import * as SpanName from "../semconv/span.ts"
import type { StoredViolation, TraceReader } from "../store/TraceReader.ts"
import * as Cursor from "./Cursor.ts"
import { present } from "./Fact.ts"
import type { ListedViolation, ViolationSearch } from "./Overview.ts"
import * as Reading from "./SpanReading.ts"
import { explain, violationOf } from "./Violation.ts"

const usualLimit = 50

const listed = ({ index, span: { row }, tool }: StoredViolation): ReadonlyArray<ListedViolation> => {
  const event = row.events[index]
  if (event === undefined) return []
  const { id, key, violation } = violationOf(row, event)
  return [{
    ...violation,
    ...present("tool", tool === SpanName.unknownTool ? violation.tool : tool),
    ...present("id", id),
    ...present("key", key),
    ...present("conversation", Reading.conversationOf(row)),
    ...present("service", Reading.serviceOf(row))
  }]
}

/** A page of the faults that fit. */
export const violationPage = Effect.fn(function*(reader: TraceReader.Shape, search: ViolationSearch) {
  const { cursor, limit = usualLimit, ...filter } = search
  const after = cursor === undefined ? undefined : (yield* Cursor.decode("last", cursor)).number
  const found = yield* reader.findViolations({ ...filter, after }, limit + 1)
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1) : undefined
  const kinds = yield* reader.violationKinds
  return {
    violations: shown.flatMap(listed),
    ...present("next", last && Cursor.encode("last", { value: 0, number: last.sequence })),
    total: yield* reader.countViolations(filter),
    kinds: kinds.map(({ count, kind }) => ({ kind, count, explanation: explain(kind) }))
  }
})
