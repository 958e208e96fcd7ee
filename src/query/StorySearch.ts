/** Finds the calls of an id and tells their stories. */
import * as Effect from "effect/Effect"
import type { TraceReader } from "../store/TraceReader.ts"
import { groupCalls } from "./CallGroup.ts"
import * as Gathering from "./Gathering.ts"
import * as Reading from "./SpanReading.ts"
import { tell } from "./Telling.ts"

/** Calls of one id that are looked at. */
const callsAtMost = 200

/** The stories of the calls with this id or key, the newest first. */
export const stories = Effect.fn(function*(reader: TraceReader.Shape, id: string, limit: number) {
  const seeds = yield* reader.findCalls({ id }, { limit: Math.min(callsAtMost, limit + 1) })
  const gathering = Gathering.make(reader)
  const reached = new Set<string>()
  let calls = 0
  let more = false
  for (const { spans } of seeds) {
    const first = spans[0]?.row
    if (first === undefined || reached.has(Reading.addressText(first))) continue
    if (calls === limit) {
      more = true
      break
    }
    calls++
    const gathered = yield* gathering.gather(first)
    for (const other of gathered.stageRows) reached.add(Reading.addressText(other))
  }
  const { spans, stageRows } = gathering.all()
  const groups = groupCalls(stageRows).filter((group) =>
    group.rows.some((row) => Reading.idOf(row) === id || Reading.keyOf(row) === id)
  )
  const told = tell(groups, spans).filter(({ call }) => call.id === id || call.key === id)
  return { stories: told.slice(0, limit), more: more || told.length > limit }
})
