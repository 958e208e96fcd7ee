/**
 * Writes requests to an open SQLite database, each in one transaction.
 */
import { createHash } from "node:crypto"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import { PbfWriter } from "pbf"
import { Fault } from "../otlp/Fault.ts"
import * as ProtobufEncoder from "../otlp/ProtobufEncoder.ts"
import { type SpanRow, textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as CallIndex from "./CallIndex.ts"
import * as CapturedText from "./CapturedText.ts"
import * as LinkTarget from "./LinkTarget.ts"
import { idColumn, reader, startColumn } from "./SpanRecord.ts"
import * as Sql from "./Sql.ts"
import * as SqliteDropping from "./SqliteDropping.ts"
import { pragma, reasonOf } from "./SqliteFile.ts"
import * as StageSpan from "./StageSpan.ts"
import { StoreUnavailable } from "./StoreError.ts"
import type { StoredSpan } from "./TraceReader.ts"
import type { Appended, TraceStore } from "./TraceStore.ts"
import * as ViolationEvent from "./ViolationEvent.ts"
import * as ViolationIndex from "./ViolationIndex.ts"

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

/** How many spans of a request have a thing, by its number. */
type Uses = Map<number, number>

const use = (uses: Uses, id: number, spans: number): void => void uses.set(id, (uses.get(id) ?? 0) + spans)

/** What a request brings to the tables that are derived from spans. */
interface Batch {
  readonly stages: Array<CallIndex.NumberedStage>
  readonly resources: Uses
  readonly scopes: Uses
  readonly faults: Array<{
    readonly span: number
    readonly trace: number
    readonly events: ReadonlyArray<ViolationEvent.ViolationEvent>
  }>
}

const noBatch = (): Batch => ({ stages: [], resources: new Map(), scopes: new Map(), faults: [] })

interface Total {
  spans: number
  callSpans: number
  traces: number
  oldest: bigint
  newest: bigint
}

/** The writing methods. */
export interface Writer extends Pick<TraceStore.Shape, "append" | "drop"> {
  /** Copies the write-ahead log into the file, all of it; fails where another process still reads from the log. */
  readonly checkpoint: Effect.Effect<void, StoreUnavailable>
  /** Derives what is derived from spans, inside a transaction of the caller's; gives how many are stage spans. */
  readonly deriveAgain: (stored: ReadonlyArray<StoredSpan>) => number
}

/** The writing methods; `file` is its path. */
export const make = (database: DatabaseSync, file: string): Writer => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const findTrace = statement("findTrace")
  const insertTrace = statement("insertTrace")
  const traceHasSpans = statement("traceHasSpans")
  const insertSpan = statement("insertSpan")
  const insertLink = statement("insertLink")
  const insertContent = statement("insertContent")
  const insertConversationTrace = statement("insertConversationTrace")
  const addTotal = statement("addTotal")
  const countResource = statement("countResource")
  const countScope = statement("countScope")

  const resources = messageNumbering(statement("findResource"), statement("insertResource"), ProtobufEncoder.resource)
  const scopes = messageNumbering(statement("findScope"), statement("insertScope"), ProtobufEncoder.scope)
  const fresh = new Set<string>()
  const traces = numbering<string, string>((id) => id, (id) => {
    const column = idColumn(id)
    const there = findTrace.get(column)
    if (there !== undefined) return idOf(there)
    fresh.add(id)
    return Number(insertTrace.run(column).lastInsertRowid)
  })
  const spans = reader(database)
  const calls = CallIndex.make(database, { numberOf: traces.of, isFresh: (id) => fresh.has(id) }, spans)
  const violations = ViolationIndex.make(database)

  let pbf = new PbfWriter(new Uint8Array(4096))
  let known = new Set<number>()
  const conversations = new Set<string>()

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

  /** What is told of a conversation is found by its traces. */
  const joinConversation = (row: SpanRow, trace: number): void => {
    const conversation = textOf(row.attributes, Attribute.genAiConversationId)
    if (conversation === undefined) return
    const pair = `${trace} ${conversation}`
    if (conversations.has(pair)) return
    conversations.add(pair)
    insertConversationTrace.run(conversation, trace)
  }

  /** What is derived from a stored span but for its call. */
  const derive = (row: SpanRow, id: number, trace: number, batch: Batch): void => {
    const links = LinkTarget.ofRow(row)
    for (const target of links) {
      insertLink.run(traces.of(target.traceId), idColumn(target.spanId), id, target.type)
    }
    const stage = StageSpan.ofRow(row, links)
    if (stage !== undefined) {
      batch.stages.push({ ...stage, number: id, trace })
      const text = CapturedText.ofRow(row)
      if (text !== undefined) insertContent.run(id, text)
    }
    const events = ViolationEvent.ofRow(row)
    if (events.length > 0) batch.faults.push({ span: id, trace, events })
    joinConversation(row, trace)
  }

  const insert = (row: SpanRow, encoded: Uint8Array | undefined, total: Total, batch: Batch): void => {
    const trace = traces.of(row.traceId)
    const newTrace = isNewTrace(trace)
    const start = startColumn(row.start)
    const resource = resources.of(row.resource)
    const scope = scopes.of(row.scope)
    const { changes, lastInsertRowid } = insertSpan.run(
      trace,
      idColumn(row.spanId),
      start,
      resource,
      scope,
      encoded ?? bodyOf(row)
    )
    // One that only a duplicate has is known as unused.
    use(batch.resources, resource, Number(changes))
    use(batch.scopes, scope, Number(changes))
    if (Number(changes) === 0) return
    total.spans++
    if (newTrace) total.traces++
    if (total.spans === 1 || start < total.oldest) total.oldest = start
    if (total.spans === 1 || start > total.newest) total.newest = start
    derive(row, Number(lastInsertRowid), trace, batch)
  }

  const forget = (): void => {
    resources.forget()
    scopes.forget()
    traces.forget()
    known = new Set()
    fresh.clear()
    conversations.clear()
    spans.forget()
    if (pbf.length > writerAtMost) pbf = new PbfWriter(new Uint8Array(4096))
  }

  /** Runs in one transaction, all or nothing. */
  const transaction = <A>(run: () => A): A => {
    database.exec("begin immediate")
    try {
      const answer = run()
      database.exec("commit")
      return answer
    } catch (error) {
      calls.forget()
      // A full disk has rolled back already.
      if (database.isTransaction) database.exec("rollback")
      throw error
    } finally {
      forget()
    }
  }

  const settle = (batch: Batch): void => {
    calls.add(batch.stages)
    for (const { events, span, trace } of batch.faults) violations.add(span, trace, events)
    violations.place(calls.takeKeys())
  }

  const append = (rows: ReadonlyArray<SpanRow>, encoded: ReadonlyArray<Uint8Array>): Appended => {
    if (rows.length === 0) return { stored: 0, duplicates: 0 }
    return transaction(() => {
      const total: Total = { spans: 0, callSpans: 0, traces: 0, oldest: 0n, newest: 0n }
      const batch = noBatch()
      for (const [index, row] of rows.entries()) insert(row, encoded[index], total, batch)
      total.callSpans = batch.stages.length
      settle(batch)
      for (const [id, spans] of batch.resources) countResource.run({ id, spans })
      for (const [id, spans] of batch.scopes) countScope.run({ id, spans })
      if (total.spans > 0) addTotal.run({ ...total })
      return { stored: total.spans, duplicates: rows.length - total.spans }
    })
  }

  const dropStep = SqliteDropping.make(database, { calls, violations, spans, traceNumber: traces.of })

  const checkpoint = (): void => {
    if (pragma(database, "wal_checkpoint(truncate)") !== 0) {
      throw new Fault("its log cannot be copied into it while another process reads from that")
    }
  }

  const attempt = <A>(run: () => A): Effect.Effect<A, StoreUnavailable> =>
    Effect.try({ try: run, catch: (error) => new StoreUnavailable({ path: file, reason: reasonOf(error) }) })

  return {
    append: (rows, encoded = []) => attempt(() => append(rows, encoded)),
    drop: (limits, atMost) => attempt(() => transaction(() => dropStep(limits, atMost))),
    checkpoint: attempt(checkpoint),
    deriveAgain: (stored) => {
      const batch = noBatch()
      for (const { row, sequence } of stored) derive(row, sequence, traces.of(row.traceId), batch)
      settle(batch)
      forget()
      return batch.stages.length
    }
  }
}
