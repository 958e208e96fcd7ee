/**
 * Spans as the SQLite store holds them.
 */
import type { DatabaseSync } from "node:sqlite"
import * as ProtobufDecoder from "../otlp/ProtobufDecoder.ts"
import type { Resource, Scope } from "../otlp/SpanRow.ts"
import { WireReader } from "../otlp/WireReader.ts"
import * as Sql from "./Sql.ts"
import type { StoredSpan } from "./TraceReader.ts"

/** The largest time that a column holds. */
const latest = 2n ** 63n - 1n

/** A time as the `start` columns hold it. */
export const startColumn = (time: bigint): bigint => time > latest ? latest : time

/** An id of a row as the store holds it. */
export const idColumn = (id: string): Uint8Array => Buffer.from(id, "hex")

/** An id that is asked for: one that is not lower-case hex gives bytes that nothing has. */
export const wantedId = (id: string): Uint8Array => /^([0-9a-f]{2})*$/.test(id) ? idColumn(id) : new Uint8Array()

/** Resources and scopes kept in memory, at most; they are few unless a process names itself anew each time. */
const cachedAtMost = 1_000

interface SpanRecord {
  readonly id: number
  readonly resource: number
  readonly scope: number
  readonly body: Uint8Array
}

/** Reads immutable rows by number, and remembers them. */
const cached = <A>(read: (id: number) => A): { readonly of: (id: number) => A; readonly forget: () => void } => {
  const known = new Map<number, A>()
  return {
    of: (id) => {
      const there = known.get(id)
      if (there !== undefined) return there
      const found = read(id)
      if (known.size >= cachedAtMost) known.clear()
      known.set(id, found)
      return found
    },
    forget: () => known.clear()
  }
}

/** Reads the columns `id`, `resource`, `scope` and `body` of a record; `forget` when a write was taken back. */
export interface SpanReader {
  readonly stored: (record: unknown) => StoredSpan
  readonly forget: () => void
}

/** A reader of this database's records. */
export const reader = (database: DatabaseSync): SpanReader => {
  const readResource = database.prepare(Sql.read("readResource"))
  const readScope = database.prepare(Sql.read("readScope"))
  const bodyOf = (record: unknown): WireReader => new WireReader((record as { readonly body: Uint8Array }).body)
  const resource = cached<Resource>((id) => ProtobufDecoder.resource(bodyOf(readResource.get(id))))
  const scope = cached<Scope>((id) => ProtobufDecoder.scope(bodyOf(readScope.get(id))))
  return {
    stored: (record) => {
      const { body, id, resource: from, scope: by } = record as SpanRecord
      return { sequence: id, row: ProtobufDecoder.span(new WireReader(body), resource.of(from), scope.of(by)) }
    },
    forget: () => {
      resource.forget()
      scope.forget()
    }
  }
}
