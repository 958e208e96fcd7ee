/**
 * The reading methods over an open SQLite database.
 */
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Capability from "./Capability.ts"
import * as ReadingLimit from "./ReadingLimit.ts"
import * as SpanRecord from "./SpanRecord.ts"
import * as Sql from "./Sql.ts"
import * as SqliteCallReader from "./SqliteCallReader.ts"
import * as SqliteFigures from "./SqliteFigures.ts"
import { reasonOf } from "./SqliteFile.ts"
import { StoreUnavailable } from "./StoreError.ts"
import type { SpanAddress, StoredSpan, StoreStats, TraceReader } from "./TraceReader.ts"

type TotalColumn = "spans" | "call_spans" | "calls" | "traces" | "violations" | "dropped_spans" | "dropped_calls"

/** The reading methods; `file` is its path. */
export const make = (database: DatabaseSync, file: string): TraceReader.Shape => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const readSpan = statement("readSpan")
  const readTraceSpans = statement("readTraceSpans")
  const readTracePart = statement("readTracePart")
  const readTraceSize = statement("readTraceSize")
  const readLinksTo = statement("readLinksTo")
  const readTotal = statement("readTotal")
  const readConversationTraces = statement("readConversationTraces")
  const spans = SpanRecord.reader(database)
  const capabilities = Capability.everything("The store in a SQLite file")
  let limit = ReadingLimit.make(capabilities)
  const stored = (record: unknown): StoredSpan => {
    const span = spans.stored(record)
    limit.add(span.row)
    return span
  }
  const calls = SqliteCallReader.make(database, stored)
  const figures = SqliteFigures.make(database)

  const attempt = <A>(run: () => A): Effect.Effect<A, Capability.ReadError> =>
    Effect.try({
      try: () => {
        limit = ReadingLimit.make(capabilities)
        return run()
      },
      catch: (error) =>
        error instanceof Capability.CannotAnswer
          ? error
          : new StoreUnavailable({ path: file, reason: reasonOf(error) })
    })

  const trace = (traceId: string): ReadonlyArray<StoredSpan> => {
    const id = SpanRecord.wantedId(traceId)
    const { bytes, spans } = readTraceSize.get(id) as { readonly bytes: number; readonly spans: number }
    ReadingLimit.checkTrace(capabilities, traceId, spans, bytes)
    return Array.from(readTraceSpans.iterate(id), stored)
  }

  const tracePart = (traceId: string, after: string | undefined): ReadonlyArray<StoredSpan> => {
    const part: Array<StoredSpan> = []
    const held = ReadingLimit.make(capabilities, Infinity)
    for (const record of readTracePart.iterate(SpanRecord.wantedId(traceId), SpanRecord.wantedId(after ?? ""))) {
      const span = spans.stored(record)
      part.push(span)
      held.add(span.row)
      if (held.weight() >= ReadingLimit.partWeight) break
    }
    return part
  }

  const addressColumns = (address: SpanAddress): [Uint8Array, Uint8Array] => [
    SpanRecord.wantedId(address.traceId),
    SpanRecord.wantedId(address.spanId)
  ]

  const stats = (): StoreStats => {
    const total = readTotal.get() as Record<TotalColumn, number> & {
      readonly oldest: string | null
      readonly newest: string | null
    }
    const sizeOf = (path: string): number => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
    return {
      spans: total.spans,
      callSpans: total.call_spans,
      calls: total.calls,
      traces: total.traces,
      violations: total.violations,
      dropped: { spans: total.dropped_spans, calls: total.dropped_calls },
      bytes: sizeOf(file) + sizeOf(`${file}-wal`),
      ...(total.oldest === null ? {} : { oldest: BigInt(total.oldest) }),
      ...(total.newest === null ? {} : { newest: BigInt(total.newest) })
    }
  }

  return {
    capabilities,
    span: (address) =>
      attempt(() => {
        const record = readSpan.get(...addressColumns(address))
        return record === undefined ? undefined : stored(record)
      }),
    trace: (traceId) => attempt(() => trace(traceId)),
    tracePart: (traceId, after) => attempt(() => tracePart(traceId, after)),
    findCalls: (filter, page) => attempt(() => calls.findCalls(filter, page)),
    countCalls: (filter, atMost) => attempt(() => calls.countCalls(filter, atMost)),
    changedCalls: (after, limit) => attempt(() => calls.changedCalls(after, limit)),
    figures: (limit) => attempt(() => figures(limit)),
    findViolations: (filter, limit) => attempt(() => calls.findViolations(filter, limit)),
    countViolations: (filter) => attempt(() => calls.countViolations(filter)),
    violationKinds: attempt(calls.violationKinds),
    conversationTraces: (conversation, limit) =>
      attempt(() =>
        readConversationTraces.all(conversation, limit).map((record) =>
          Buffer.from(record["trace_id"] as Uint8Array).toString("hex")
        )
      ),
    linksTo: (address) =>
      attempt(() =>
        Array.from(readLinksTo.iterate(...addressColumns(address)), (record) => ({
          from: stored(record),
          type: (record as unknown as { readonly type: string }).type
        }))
      ),
    stats: attempt(stats)
  }
}
