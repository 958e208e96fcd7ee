/**
 * Takes the spans that arrived first out of an open SQLite database, with all that is derived from them.
 */
import type { DatabaseSync } from "node:sqlite"
import { type SpanRow, textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"
import type { CallIndex } from "./CallIndex.ts"
import * as LinkTarget from "./LinkTarget.ts"
import { idColumn, type SpanReader, startColumn } from "./SpanRecord.ts"
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
  readonly row: SpanRow
}

interface StoredRecord {
  readonly id: number
  readonly trace: number
  readonly body: Uint8Array
}

/** Bytes of spans that one step reads, and those of the last span: what it takes out is held until it is done. */
const bytesAtMost = 16 * 1024 * 1024

/** Bytes of spans that a step takes out for the sake of size, at least where there are so many. */
const leastBytes = 64 * 1024

/** The bytes of the pages that hold something. */
export const usedBytes = (database: DatabaseSync): number => {
  const pragma = (name: string) => Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
}

/** One step, inside a transaction: gives the number of spans that it took out. */
export const make = (database: DatabaseSync, { calls, spans, traceNumber, violations }: Parts) => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const oldestSpans = statement("oldestSpans")
  const deleteSpan = statement("deleteSpan")
  const deleteLink = statement("deleteLink")
  const deleteViolations = statement("deleteViolations")
  const deleteContent = statement("deleteContent")
  const deleteConversationTrace = statement("deleteConversationTrace")
  const deleteTrace = statement("deleteTrace")
  const traceHasSpans = statement("traceHasSpans")
  const subtractTotal = statement("subtractTotal")
  const addDropped = statement("addDropped")

  const deleteOne = ({ id, row }: OldRecord): void => {
    for (const target of LinkTarget.ofRow(row)) {
      deleteLink.run(traceNumber(target.traceId), idColumn(target.spanId), id, target.type)
    }
    deleteSpan.run(id)
    deleteViolations.run(id)
    deleteContent.run(id)
  }

  return ({ before, maxBytes }: DropLimits, atMost: number): number => {
    const over = maxBytes === undefined ? 0 : usedBytes(database) - maxBytes
    const tooLarge = over > 0
    // A span frees more than its body: a large step does not go far below the limit.
    const enough = tooLarge ? Math.min(bytesAtMost, Math.max(over, leastBytes)) : bytesAtMost
    const old: Array<OldRecord> = []
    let bytes = 0
    for (const record of oldestSpans.iterate(atMost)) {
      const { body, id, trace } = record as unknown as StoredRecord
      const { row } = spans.stored(record)
      if (tooLarge || (before !== undefined && startColumn(row.start) < before)) old.push({ id, trace, row })
      bytes += body.byteLength
      if (bytes >= enough) break
    }
    if (old.length === 0) return 0
    const stages = calls.stagesOf(old.map(({ id }) => id))
    const goneCalls = calls.remove(stages)
    for (const one of old) deleteOne(one)
    violations.place(calls.takeKeys())
    let traces = 0
    for (const trace of new Set(old.map((one) => one.trace))) {
      if (traceHasSpans.get(trace) !== undefined) continue
      traces++
      for (const { row } of old.filter((one) => one.trace === trace)) {
        const conversation = textOf(row.attributes, Attribute.genAiConversationId)
        if (conversation !== undefined) deleteConversationTrace.run(conversation, trace)
      }
      // Links to its spans keep the number of a trace alive.
      deleteTrace.run(trace, trace)
    }
    subtractTotal.run({ spans: old.length, callSpans: stages.length, traces })
    addDropped.run(old.length, goneCalls)
    return old.length
  }
}
