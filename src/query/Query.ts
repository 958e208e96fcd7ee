/** Finds tool calls and tells their stories. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StoreUnavailable } from "../store/StoreError.ts"
import { type StoredSpan, TraceReader } from "../store/TraceReader.ts"
import { groupCalls } from "./CallGroup.ts"
import * as Gathering from "./Gathering.ts"
import * as Reading from "./SpanReading.ts"
import { Story } from "./Story.ts"
import { tell } from "./Telling.ts"
import { summarize, ToolCall } from "./ToolCall.ts"

/** Which calls to find; what is not given does not restrict, and all that is given must hold for the call. */
export const CallFilter = Schema.Struct({
  /** The provider's id or the key, exactly. */
  id: Schema.optional(Schema.String),
  tool: Schema.optional(Schema.String),
  /** The approval state. */
  state: Schema.optional(Schema.String),
  outcome: Schema.optional(Schema.String),
  /** At most so many calls, the newest first. */
  limit: Schema.Int.check(Schema.isGreaterThan(0))
})
/** Which calls to find. */
export interface CallFilter extends Schema.Schema.Type<typeof CallFilter> {}

/** The stories of an id; `more` when there are others that were not told. */
export const Stories = Schema.Struct({ stories: Schema.Array(Story), more: Schema.Boolean })
/** The stories of an id. */
export interface Stories extends Schema.Schema.Type<typeof Stories> {}

/** Finds tool calls and tells their stories. */
export class Query extends Context.Service<Query, Query.Shape>()("toolspan/query/Query") {}

export declare namespace Query {
  /** What can be asked. */
  interface Shape {
    /** The calls that fit, the one with the newest fitting span first. */
    readonly find: (filter: CallFilter) => Effect.Effect<ReadonlyArray<ToolCall>, StoreUnavailable>
    /**
     * Everything about the calls with this id or key, the newest first, `limit` at most. Calls that only share the id are
     * separate stories.
     */
    readonly story: (id: string, limit: number) => Effect.Effect<Stories, StoreUnavailable>
  }
}

/** Spans that are asked of the store at once. */
const page = 200

/** Asks this reader. */
export const make = (reader: TraceReader.Shape): Query.Shape => ({
  find: Effect.fn(function*(filter) {
    const { id, limit, ...rest } = filter
    const found: Array<ToolCall> = []
    const seen = new Set<string>()
    const places = id === undefined ? [rest] : [{ ...rest, id }, { ...rest, key: id }]
    for (const place of places) {
      let last: StoredSpan | undefined
      do {
        const spans: ReadonlyArray<StoredSpan> = yield* reader.findCallSpans(
          last === undefined ? place : { ...place, after: { start: last.row.start, sequence: last.sequence } },
          page
        )
        const gathering = Gathering.make(reader)
        for (const { row } of spans) {
          if (found.length >= limit) return found
          if (seen.has(Reading.addressText(row)) || Reading.stageOf(row) === undefined) continue
          const gathered = yield* gathering.gather(row)
          const group = groupCalls(gathered.stageRows).find((group) => group.rows.some(isSame(row)))
          if (group === undefined) continue
          for (const member of group.rows) seen.add(Reading.addressText(member))
          const call = summarize(group, gathered.spans)
          if (fits(call, filter)) found.push(call)
        }
        last = spans.length < page ? undefined : spans.at(-1)
      } while (last !== undefined)
    }
    return found
  }),

  story: Effect.fn(function*(id, limit) {
    const seeds = [
      ...(yield* reader.findCallSpans({ id }, page)),
      ...(yield* reader.findCallSpans({ key: id }, page))
    ]
    const gathering = Gathering.make(reader)
    const reached = new Set<string>()
    let calls = 0
    let more = false
    for (const { row } of seeds) {
      if (reached.has(Reading.addressText(row))) continue
      if (calls === limit) {
        more = true
        break
      }
      calls++
      const gathered = yield* gathering.gather(row)
      for (const other of gathered.stageRows) reached.add(Reading.addressText(other))
    }
    const { spans, stageRows } = gathering.all()
    const groups = groupCalls(stageRows).filter((group) =>
      group.rows.some((row) => Reading.idOf(row) === id || Reading.keyOf(row) === id)
    )
    const stories = tell(groups, spans).filter(({ call }) => call.id === id || call.key === id)
    return { stories: stories.slice(0, limit), more: more || stories.length > limit }
  })
})

const isSame = (row: Reading.SpanRow) => (other: Reading.SpanRow) =>
  other.spanId === row.spanId && other.traceId === row.traceId

const fits = (call: ToolCall, filter: CallFilter): boolean =>
  (filter.id === undefined || call.id === filter.id || call.key === filter.id)
  && (filter.tool === undefined || call.tool === filter.tool)
  && (filter.state === undefined || call.state === filter.state)
  && (filter.outcome === undefined || call.outcome === filter.outcome)
