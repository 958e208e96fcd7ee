/**
 * Writes requests to an open SQLite database, each in one transaction.
 */
import { createHash } from "node:crypto"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { PbfWriter } from "pbf"
import * as ProtobufEncoder from "../otlp/ProtobufEncoder.ts"
import type { SpanRow } from "../otlp/SpanRow.ts"
import * as CallSpan from "./CallSpan.ts"
import * as LinkTarget from "./LinkTarget.ts"
import * as Sql from "./Sql.ts"
import { reasonOf } from "./SqliteFile.ts"
import { idColumn, startColumn } from "./SqliteReader.ts"
import { StoreUnavailable } from "./StoreError.ts"
import type { Appended, TraceStore } from "./TraceStore.ts"

/** A writer that grew beyond this many bytes is given up after its request. */
const writerAtMost = 1024 * 1024

/** Numbers things that the database keeps once; forgets them after each request, as a rollback would unmake them. */
interface Numbering<A> {
  readonly of: (thing: A) => number
  readonly forget: () => void
}

const numbering = <A, K>(keyOf: (thing: A) => K, find: (thing: A) => number): Numbering<A> => {
  const known = new Map<K, number>()
  return {
    of: (thing) => {
      const key = keyOf(thing)
      let id = known.get(key)
      if (id === undefined) {
        id = find(thing)
        known.set(key, id)
      }
      return id
    },
    forget: () => known.clear()
  }
}

const idOf = (record: unknown): number => (record as { readonly id: number }).id

/** Finds a message by what it says, or inserts it. */
const messageNumbering = <A>(
  find: StatementSync,
  insert: StatementSync,
  encode: (thing: A, pbf: PbfWriter) => void
): Numbering<A> =>
  numbering((thing) => thing, (thing) => {
    const pbf = new PbfWriter()
    encode(thing, pbf)
    const body = pbf.finish()
    const digest = createHash("sha256").update(body).digest()
    const there = find.get(digest)
    return there === undefined ? Number(insert.run(digest, body).lastInsertRowid) : idOf(there)
  })

interface Total {
  spans: number
  callSpans: number
  traces: number
  oldest: bigint
  newest: bigint
}

/** The writing method; `file` is its path. */
export const make = (database: DatabaseSync, file: string): Pick<TraceStore.Shape, "append"> => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const findTrace = statement("findTrace")
  const insertTrace = statement("insertTrace")
  const traceHasSpans = statement("traceHasSpans")
  const insertSpan = statement("insertSpan")
  const insertLink = statement("insertLink")
  const insertCallSpan = statement("insertCallSpan")
  const addTotal = statement("addTotal")

  const resources = messageNumbering(statement("findResource"), statement("insertResource"), ProtobufEncoder.resource)
  const scopes = messageNumbering(statement("findScope"), statement("insertScope"), ProtobufEncoder.scope)
  const traces = numbering<string, string>((id) => id, (id) => {
    const column = idColumn(id)
    const there = findTrace.get(column)
    return there === undefined ? Number(insertTrace.run(column).lastInsertRowid) : idOf(there)
  })

  let pbf = new PbfWriter(new Uint8Array(4096))
  let known = new Set<number>()

  const bodyOf = (row: SpanRow): Uint8Array => {
    pbf.pos = 0
    ProtobufEncoder.span(row, pbf)
    return pbf.buf.subarray(0, pbf.pos)
  }

  /** Counts a trace when its first span comes; a trace can be known before, as the target of a link. */
  const isNewTrace = (trace: number): boolean => {
    if (known.has(trace)) return false
    known.add(trace)
    return traceHasSpans.get(trace) === undefined
  }

  const insert = (row: SpanRow, total: Total): void => {
    const trace = traces.of(row.traceId)
    const newTrace = isNewTrace(trace)
    const start = startColumn(row.start)
    const { changes, lastInsertRowid } = insertSpan.run(
      trace,
      idColumn(row.spanId),
      start,
      resources.of(row.resource),
      scopes.of(row.scope),
      bodyOf(row)
    )
    if (Number(changes) === 0) return
    const id = Number(lastInsertRowid)
    total.spans++
    if (newTrace) total.traces++
    if (total.spans === 1 || start < total.oldest) total.oldest = start
    if (total.spans === 1 || start > total.newest) total.newest = start
    for (const target of LinkTarget.ofRow(row)) {
      insertLink.run(traces.of(target.traceId), idColumn(target.spanId), id, target.type)
    }
    const call = CallSpan.ofRow(row)
    if (call === undefined) return
    total.callSpans++
    insertCallSpan.run(
      id,
      start,
      call.id ?? null,
      call.key ?? null,
      call.tool ?? null,
      call.stage ?? null,
      call.state ?? null,
      call.outcome ?? null,
      call.conversation ?? null,
      call.service ?? null
    )
  }

  const forget = (): void => {
    resources.forget()
    scopes.forget()
    traces.forget()
    known = new Set()
    if (pbf.length > writerAtMost) pbf = new PbfWriter(new Uint8Array(4096))
  }

  const append = (rows: ReadonlyArray<SpanRow>): Appended => {
    if (rows.length === 0) return { stored: 0, duplicates: 0 }
    const total: Total = { spans: 0, callSpans: 0, traces: 0, oldest: 0n, newest: 0n }
    database.exec("begin immediate")
    try {
      for (const row of rows) insert(row, total)
      if (total.spans > 0) addTotal.run({ ...total })
      database.exec("commit")
    } catch (error) {
      // A full disk has rolled back already.
      if (database.isTransaction) database.exec("rollback")
      throw error
    } finally {
      forget()
    }
    return { stored: total.spans, duplicates: rows.length - total.spans }
  }

  return {
    append: (rows) =>
      Effect.try({
        try: () => append(rows),
        catch: (error) => new StoreUnavailable({ path: file, reason: reasonOf(error) })
      })
  }
}
