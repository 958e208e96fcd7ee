/**
 * The reading methods over an open SQLite database.
 */
import * as fs from "node:fs"
import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as ProtobufDecoder from "../otlp/ProtobufDecoder.ts"
import type { Resource, Scope } from "../otlp/SpanRow.ts"
import { WireReader } from "../otlp/WireReader.ts"
import * as Sql from "./Sql.ts"
import { reasonOf } from "./SqliteFile.ts"
import { StoreUnavailable } from "./StoreError.ts"
import type { CallSpanFilter, SpanAddress, StoredSpan, StoreStats, TraceReader } from "./TraceReader.ts"

/** The largest time that a column holds. */
const latest = 2n ** 63n - 1n

/** A time as the `start` columns hold it. */
export const startColumn = (time: bigint): bigint => time > latest ? latest : time

/** An id of a row as the store holds it. */
export const idColumn = (id: string): Uint8Array => Buffer.from(id, "hex")

/** An id that is asked for: one that is not lower-case hex gives bytes that nothing has. */
const wantedId = (id: string): Uint8Array => /^([0-9a-f]{2})*$/.test(id) ? idColumn(id) : new Uint8Array()

/** Resources and scopes kept in memory, at most; they are few unless a process names itself anew each time. */
const cachedAtMost = 1_000

interface SpanRecord {
  readonly id: number
  readonly resource: number
  readonly scope: number
  readonly body: Uint8Array
}

/** Reads immutable rows by number, and remembers them. */
const cached = <A>(read: (id: number) => A): (id: number) => A => {
  const known = new Map<number, A>()
  return (id) => {
    const there = known.get(id)
    if (there !== undefined) return there
    const found = read(id)
    if (known.size >= cachedAtMost) known.clear()
    known.set(id, found)
    return found
  }
}

interface Condition {
  readonly text: string
  readonly values: ReadonlyArray<SQLInputValue>
}

/**
 * The conditions of a filter. A column with a `+` before it is kept from choosing the index: without statistics SQLite
 * cannot know that an id is rarer than a tool.
 */
const conditionsOf = (filter: CallSpanFilter): ReadonlyArray<Condition> => {
  const conditions: Array<Condition> = []
  let chosen = false
  const equal = (column: string, value: string | undefined, indexed: boolean): void => {
    if (value === undefined) return
    conditions.push({ text: `${indexed && !chosen ? "" : "+"}call_span.${column} = ?`, values: [value] })
    chosen ||= indexed
  }
  equal("call_id", filter.id, true)
  equal("call_key", filter.key, true)
  equal("tool", filter.tool, true)
  equal("stage", filter.stage, false)
  equal("state", filter.state, false)
  equal("outcome", filter.outcome, false)
  equal("conversation", filter.conversation, false)
  equal("service", filter.service, false)
  if (filter.from !== undefined) {
    conditions.push({ text: "call_span.start >= ?", values: [startColumn(filter.from)] })
  }
  if (filter.until !== undefined) {
    conditions.push({ text: "call_span.start < ?", values: [startColumn(filter.until)] })
  }
  if (filter.after !== undefined) {
    conditions.push({
      text: "(call_span.start, call_span.id) < (?, ?)",
      values: [startColumn(filter.after.start), filter.after.sequence]
    })
  }
  return conditions
}

/** The reading methods; `file` is its path. */
export const make = (database: DatabaseSync, file: string): TraceReader.Shape => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const readSpan = statement("readSpan")
  const readTraceSpans = statement("readTraceSpans")
  const readLinksTo = statement("readLinksTo")
  const readResource = statement("readResource")
  const readScope = statement("readScope")
  const readTotal = statement("readTotal")
  const findCallSpans = Sql.read("findCallSpans")

  const bodyOf = (record: unknown): WireReader => new WireReader((record as { readonly body: Uint8Array }).body)
  const resource = cached<Resource>((id) => ProtobufDecoder.resource(bodyOf(readResource.get(id))))
  const scope = cached<Scope>((id) => ProtobufDecoder.scope(bodyOf(readScope.get(id))))

  const stored = (record: unknown): StoredSpan => {
    const { body, id, resource: from, scope: by } = record as SpanRecord
    return { sequence: id, row: ProtobufDecoder.span(new WireReader(body), resource(from), scope(by)) }
  }

  const attempt = <A>(run: () => A): Effect.Effect<A, StoreUnavailable> =>
    Effect.try({ try: run, catch: (error) => new StoreUnavailable({ path: file, reason: reasonOf(error) }) })

  const addressColumns = (address: SpanAddress): [Uint8Array, Uint8Array] => [
    wantedId(address.traceId),
    wantedId(address.spanId)
  ]

  const find = (filter: CallSpanFilter, limit: number): ReadonlyArray<StoredSpan> => {
    const conditions = conditionsOf(filter)
    const text = conditions.map((condition) => condition.text).join(" and ")
    const query = conditions.length === 0 ? findCallSpans : findCallSpans.replace("where true", () => `where ${text}`)
    return database.prepare(query).all(...conditions.flatMap(({ values }) => values), limit).map(stored)
  }

  const stats = (): StoreStats => {
    const total = readTotal.get() as Record<"spans" | "call_spans" | "traces", number> & {
      readonly oldest: string | null
      readonly newest: string | null
    }
    const sizeOf = (path: string): number => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
    return {
      spans: total.spans,
      callSpans: total.call_spans,
      traces: total.traces,
      bytes: sizeOf(file) + sizeOf(`${file}-wal`),
      ...(total.oldest === null ? {} : { oldest: BigInt(total.oldest) }),
      ...(total.newest === null ? {} : { newest: BigInt(total.newest) })
    }
  }

  return {
    span: (address) =>
      attempt(() => {
        const record = readSpan.get(...addressColumns(address))
        return record === undefined ? undefined : stored(record)
      }),
    trace: (traceId) => attempt(() => readTraceSpans.all(wantedId(traceId)).map(stored)),
    findCallSpans: (filter, limit) => attempt(() => find(filter, limit)),
    linksTo: (address) =>
      attempt(() =>
        readLinksTo.all(...addressColumns(address)).map((record) => ({
          from: stored(record),
          type: (record as unknown as { readonly type: string }).type
        }))
      ),
    stats: attempt(stats)
  }
}
