/**
 * Takes the spans that arrived first out of an open SQLite database, with all that is derived from them.
 */
import type { DatabaseSync } from "node:sqlite"
import { type SpanRow, textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"
import type { CallIndex } from "./CallIndex.ts"
import * as LinkTarget from "./LinkTarget.ts"
import { idColumn, type SpanReader } from "./SpanRecord.ts"
import * as Sql from "./Sql.ts"
import type { DropLimits } from "./TraceStore.ts"
import type { ViolationIndex } from "./ViolationIndex.ts"

/** What one step needs of the writer. */
export interface Parts {
  readonly calls: CallIndex
  readonly violations: ViolationIndex
  readonly spans: SpanReader
  readonly traceNumber: (traceId: string) => number
}

interface OldRecord {
  readonly id: number
  readonly trace: number
  readonly resource: number
  readonly scope: number
  readonly row: SpanRow
}

interface StoredRecord extends Omit<OldRecord, "row"> {
  readonly body: Uint8Array
}

/** Bytes of spans that one step reads, and those of the last span: what it takes out is held until it is done. */
const bytesAtMost = 16 * 1024 * 1024

/** Bytes of spans that a step takes out for the sake of size, at least where there are so many. */
const leastBytes = 64 * 1024

/** Numbers of spans that a step looks through for old ones that arrived after younger ones, as a wrong clock sends them. */
const window = 2_000

/** The bytes of the pages that hold something. */
export const usedBytes = (database: DatabaseSync): number => {
  const pragma = (name: string) => Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
}

/** One step, inside a transaction: gives the number of spans that it took out. */
export const make = (database: DatabaseSync, { calls, spans, traceNumber, violations }: Parts) => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const oldestSpans = statement("oldestSpans")
  const oldSpans = statement("oldSpans")
  const spanNumbers = statement("spanNumbers")
  const deleteSpan = statement("deleteSpan")
  const deleteLink = statement("deleteLink")
  const deleteViolations = statement("deleteViolations")
  const deleteContent = statement("deleteContent")
  const deleteConversationTrace = statement("deleteConversationTrace")
  const deleteTrace = statement("deleteTrace")
  const traceHasSpans = statement("traceHasSpans")
  const subtractTotal = statement("subtractTotal")
  const addDropped = statement("addDropped")
  const countResource = statement("countResource")
  const countScope = statement("countScope")
  const deleteUnused = Sql.read("deleteUnused")

  const deleteOne = ({ id, row }: OldRecord): void => {
    for (const target of LinkTarget.ofRow(row)) {
      deleteLink.run(traceNumber(target.traceId), idColumn(target.spanId), id, target.type)
    }
    deleteSpan.run(id)
    deleteViolations.run(id)
    deleteContent.run(id)
  }

  /** The spans of these records, as far as they may be held at a time. */
  const taken = (records: Iterable<unknown>, enough: number): ReadonlyArray<OldRecord> => {
    const old: Array<OldRecord> = []
    let bytes = 0
    for (const record of records) {
      const { body, id, resource, scope, trace } = record as StoredRecord
      old.push({ id, trace, resource, scope, row: spans.stored(record).row })
      bytes += body.byteLength
      if (bytes >= enough) break
    }
    return old
  }

  let looked = 0

  /** Those that began before this time, among the first that arrived; where there are none, among some others each time. */
  const tooOld = (before: bigint, atMost: number): ReadonlyArray<OldRecord> => {
    const { first, last } = spanNumbers.get() as { readonly first: number; readonly last: number }
    const among = (after: number, many: number) =>
      taken(oldSpans.iterate({ after, last: after + many, before, limit: atMost }), bytesAtMost)
    const found = among(first - 1, atMost)
    if (found.length > 0) return found
    const others = among(looked, window)
    // Numbers begin anew when all spans were taken out.
    if (others.length === 0) looked = looked >= last ? 0 : Math.max(looked, first) + window
    return others
  }

  const chosen = ({ before, maxBytes }: DropLimits, atMost: number): ReadonlyArray<OldRecord> => {
    const over = maxBytes === undefined ? 0 : usedBytes(database) - maxBytes
    // A span frees more than its body: a large step does not go far below the limit.
    if (over > 0) return taken(oldestSpans.iterate(atMost), Math.min(bytesAtMost, Math.max(over, leastBytes)))
    return before === undefined ? [] : tooOld(before, atMost)
  }

  return (limits: DropLimits, atMost: number): number => {
    const old = chosen(limits, atMost)
    if (old.length === 0) return 0
    const stages = calls.stagesOf(old.map(({ id }) => id))
    const goneCalls = calls.remove(stages)
    for (const one of old) deleteOne(one)
    violations.place(calls.takeKeys())
    let traces = 0
    for (const [trace, ofTrace] of Map.groupBy(old, (one) => one.trace)) {
      if (traceHasSpans.get(trace) !== undefined) continue
      traces++
      for (const { row } of ofTrace) {
        const conversation = textOf(row.attributes, Attribute.genAiConversationId)
        if (conversation !== undefined) deleteConversationTrace.run(conversation, trace)
      }
    }
    // A number stays while a span is in the trace or links to it: the last link can go later than the last span.
    const targets = old.flatMap(({ row }) => LinkTarget.ofRow(row).map(({ traceId }) => traceNumber(traceId)))
    for (const trace of new Set([...old.map(({ trace }) => trace), ...targets])) deleteTrace.run({ trace })
    for (const [id, { length }] of Map.groupBy(old, ({ resource }) => resource)) {
      countResource.run({ id, spans: -length })
    }
    for (const [id, { length }] of Map.groupBy(old, ({ scope }) => scope)) countScope.run({ id, spans: -length })
    database.exec(deleteUnused)
    subtractTotal.run({ spans: old.length, callSpans: stages.length, traces })
    addDropped.run(old.length, goneCalls)
    return old.length
  }
}
