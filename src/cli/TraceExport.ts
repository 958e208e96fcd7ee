/** Whole traces as lines of OTLP/JSON, one trace in memory at a time, or a part of a large one. */
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallFilter } from "../query/CallSearch.ts"
import { pageAtMost } from "../query/CallSearch.ts"
import { present } from "../query/Fact.ts"
import * as Reading from "../query/SpanReading.ts"
import type { ReadError } from "../store/Capability.ts"
import * as ReadingLimit from "../store/ReadingLimit.ts"
import * as SpanExport from "../store/SpanExport.ts"
import type { StoredSpan } from "../store/TraceReader.ts"
import type { CommandFailure } from "./CommandFailure.ts"
import type { ExportFile } from "./ExportFile.ts"
import { inertJson } from "./InertText.ts"
import type { Source } from "./StoredQuery.ts"
import * as StoredQuery from "./StoredQuery.ts"

/** Ids of traces to write; `users` also writes those that used a result of theirs. */
export interface Traces {
  readonly ids: Stream.Stream<string, CommandFailure>
  readonly users: boolean
}

/** One trace by its id. */
export const one = (traceId: string): Traces => ({ ids: Stream.make(traceId), users: false })

/** The traces of the calls that fit, those of the oldest call first. */
export const ofCalls = ({ query }: Source, filter: CallFilter): Traces => ({
  ids: Stream.paginate(
    Option.none<string>(),
    Effect.fnUntraced(function*(cursor) {
      const page = yield* query.calls({
        ...filter,
        sort: "oldest",
        limit: pageAtMost,
        ...present("cursor", Option.getOrUndefined(cursor))
      }).pipe(Effect.mapError(StoredQuery.failed))
      const next = page.next === undefined ? Option.none<Option.Option<string>>() : Option.some(Option.some(page.next))
      return [page.calls.flatMap(({ traces }) => traces), next] as const
    })
  ),
  users: true
})

/** How much was written. */
export interface Written {
  readonly spans: number
  readonly traces: number
}

/** Writes each trace once, in pieces of about a megabyte. */
export const write = Effect.fnUntraced(function*(
  { reader }: Source,
  { ids, users }: Traces,
  target: ExportFile
): Effect.fn.Return<Written, CommandFailure | PlatformError> {
  const begun = new Set<string>()
  let written: Written = { spans: 0, traces: 0 }

  const usersOf = Effect.fnUntraced(function*({ row }: StoredSpan) {
    if (Reading.stageOf(row) !== "result") return []
    const links = yield* reader.linksTo(row).pipe(Effect.mapError(StoredQuery.failed))
    return links.flatMap(({ from, type }) => type === "consumes" ? [from.row.traceId] : [])
  })

  /** A trace as a whole, or part by part where it is too large for one answer. */
  const parts = (traceId: string): Stream.Stream<ReadonlyArray<StoredSpan>, ReadError> => {
    const { tracePart } = reader
    const whole = Stream.fromEffect(reader.trace(traceId))
    if (tracePart === undefined) return whole
    const partly = Stream.paginate(
      undefined as string | undefined,
      (after) =>
        Effect.map(tracePart(traceId, after), (part) => {
          const last = part.at(-1)
          return [
            [part],
            last === undefined ? Option.none() : Option.some<string | undefined>(last.row.spanId)
          ] as const
        })
    )
    return Stream.catchIf(whole, ReadingLimit.isTooMuch, () => partly)
  }

  /** Writes a trace and gives the ids of those that used a result of it. */
  const trace = Effect.fnUntraced(function*(traceId: string) {
    if (begun.has(traceId)) return []
    begun.add(traceId)
    const found = new Set<string>()
    let count = 0
    yield* parts(traceId).pipe(
      Stream.mapError(StoredQuery.failed),
      Stream.takeWhile((spans) => spans.length > 0),
      Stream.mapEffect(Effect.fnUntraced(function*(spans) {
        for (const request of SpanExport.requests(spans)) yield* target.write([inertJson(request)])
        count += spans.length
        if (!users) return
        for (const span of spans) for (const user of yield* usersOf(span)) found.add(user)
      })),
      Stream.takeUntilEffect(() => Effect.map(target.isRead, (isRead) => !isRead)),
      Stream.runDrain
    )
    if (count > 0) written = { spans: written.spans + count, traces: written.traces + 1 }
    return [...found]
  })

  yield* ids.pipe(
    Stream.takeUntilEffect((traceId) =>
      trace(traceId).pipe(
        Effect.flatMap(Effect.forEach(trace)),
        Effect.andThen(target.isRead),
        Effect.map((isRead) => !isRead)
      )
    ),
    Stream.runDrain
  )
  return written
})
