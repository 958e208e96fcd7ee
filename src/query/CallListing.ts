/** Lists calls in a few facts each. */
import * as Effect from "effect/Effect"
import * as Attribute from "../semconv/attribute.ts"
import type { ReadError } from "../store/Capability.ts"
import * as ReadingLimit from "../store/ReadingLimit.ts"
import type { CallFilter, StoredCall, TraceReader } from "../store/TraceReader.ts"
import { type CallPage, type CallSearch, countedAtMost, type ListedCall } from "./CallSearch.ts"
import * as Cursor from "./Cursor.ts"
import { present } from "./Fact.ts"
import * as SpanIndex from "./SpanIndex.ts"
import * as Reading from "./SpanReading.ts"
import { summarize } from "./ToolCall.ts"

/** News, and the place from which to ask for more. */
export interface Changes {
  readonly calls: ReadonlyArray<ListedCall>
  readonly last: number
}

/** Lists calls of a reader. */
export interface CallListing {
  readonly calls: (search: CallSearch) => Effect.Effect<CallPage, ReadError | Cursor.WrongCursor>
  readonly changes: (after: number | undefined) => Effect.Effect<Changes, ReadError>
  /** Calls of a store as a list has them. */
  readonly list: (calls: ReadonlyArray<StoredCall>) => Effect.Effect<ReadonlyArray<ListedCall>, ReadError>
}

/** Calls of a page unless told otherwise. */
const usualLimit = 50

/** Spans of one answer to "what is new". */
const changedAtMost = 500

/** A decision hangs from its provider request, at times with a span of the app's or the host's between. */
const ancestorsAtMost = 4

const filterOf = (search: CallSearch): CallFilter => ({
  id: search.id,
  idPrefix: search.idPrefix,
  key: search.key,
  tool: search.tool,
  state: search.state,
  outcome: search.outcome,
  violation: search.violation,
  conversation: search.conversation,
  service: search.service,
  from: search.from,
  until: search.to,
  minExecution: search.minDuration,
  maxExecution: search.maxDuration,
  text: search.q
})

const noSpans = SpanIndex.make([])

const modelIn = (row: Reading.SpanRow): string | undefined =>
  Reading.text(row.attributes, Attribute.genAiRequestModel)
    ?? Reading.text(row.attributes, Attribute.genAiResponseModel)

/** What of a parent is looked at: a page of calls can have thousands of them, of any size. */
interface Parent {
  readonly model: string | undefined
  readonly isChat: boolean
  readonly isTurn: boolean
  readonly parent: ReturnType<typeof Reading.parentOf>
}

const parentFacts = (row: Reading.SpanRow): Parent => ({
  model: modelIn(row),
  isChat: Reading.isChat(row),
  isTurn: Reading.isTurn(row),
  parent: Reading.parentOf(row)
})

/** Asks for half as much as long as what comes is too large for one answer: a page may be short, the next goes on. */
const fewer = <A, E extends { readonly _tag: string }>(
  ask: (limit: number) => Effect.Effect<A, E>,
  limit: number
): Effect.Effect<A, E> =>
  ask(limit).pipe(
    Effect.catchIf(
      (error) => limit > 1 && ReadingLimit.isTooMuch(error),
      () => fewer(ask, Math.floor(limit / 2))
    )
  )

/** A listing over this reader. */
export const make = (reader: TraceReader.Shape): CallListing => {
  /** The model of the provider request, else of the turn, that the span belongs to; `known` spares reading one twice. */
  const modelOf = Effect.fnUntraced(function*(row: Reading.SpanRow, known: Map<string, Parent | undefined>) {
    let turnModel: string | undefined
    let parent = Reading.parentOf(row)
    for (let depth = 0; depth < ancestorsAtMost && parent !== undefined; depth++) {
      const address = Reading.addressText(parent)
      if (!known.has(address)) {
        const stored = yield* reader.span(parent)
        known.set(address, stored && parentFacts(stored.row))
      }
      const current = known.get(address)
      if (current === undefined) break
      parent = current.parent
      if (current.model === undefined) continue
      if (current.isChat) return current.model
      if (current.isTurn) turnModel ??= current.model
    }
    return turnModel
  })

  const list = Effect.fnUntraced(function*(calls: ReadonlyArray<StoredCall>) {
    const known = new Map<string, Parent | undefined>()
    const listed: Array<ListedCall> = []
    for (const { spans, violations } of calls) {
      const rows = spans.map(({ row }) => row)
      if (rows.length === 0) continue
      const decision = rows.find((row) => Reading.stageOf(row) === "decision")
      const model = decision && (yield* modelOf(decision, known))
      listed.push({ ...summarize({ rows }, noSpans), ...present("model", model), faults: violations })
    }
    return listed
  })

  /** An engine that can give a page may not be able to count what it is a page of. */
  const count = (filter: CallFilter): Effect.Effect<number | undefined, ReadError> =>
    reader.countCalls(filter, countedAtMost).pipe(Effect.catchTag("CannotAnswer", () => Effect.undefined))

  return {
    list,
    calls: Effect.fn(function*(search) {
      const { cursor, limit = usualLimit, sort = "newest" } = search
      const filter = filterOf(search)
      const after = cursor === undefined ? undefined : yield* Cursor.decode(sort, cursor)
      const { last, shown } = yield* fewer(
        (limit) =>
          Effect.map(reader.findCalls(filter, { sort, after, limit: limit + 1 }), (found) => {
            const shown = found.slice(0, limit)
            return { shown, last: found.length > limit ? shown.at(-1) : undefined }
          }),
        limit
      )
      return {
        calls: yield* list(shown),
        ...present("next", last && Cursor.encode(sort, last.place)),
        ...present("total", yield* count(filter))
      }
    }),
    changes: Effect.fn(function*(after) {
      const { calls, last } = yield* fewer((limit) => reader.changedCalls(after, limit), changedAtMost)
      return { calls: yield* list(calls), last }
    })
  }
}
