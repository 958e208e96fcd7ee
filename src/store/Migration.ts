/**
 * Brings a store of an older version up to date, in place: what is derived from spans is derived again.
 */
import type { DatabaseSync } from "node:sqlite"
import * as SpanRecord from "./SpanRecord.ts"
import * as Sql from "./Sql.ts"
import * as SqliteWriter from "./SqliteWriter.ts"

/** Spans that are read at a time. */
const batch = 1_000

/** What older versions derived from spans. */
const derived = [
  "call_span",
  "call",
  "other_name",
  "violation",
  "conversation_trace",
  "content",
  "resource_use",
  "scope_use"
]

const deriveAnew = (database: DatabaseSync, file: string): void => {
  const dropped = database.prepare("select 1 from sqlite_schema where name = 'dropped'").get() === undefined
    ? { spans: 0, calls: 0 }
    : database.prepare("select spans, calls from dropped").get() as { readonly spans: number; readonly calls: number }
  for (const table of [...derived, "dropped"]) database.exec(`drop table if exists ${table}`)
  database.exec(`${Sql.read("derived")};${Sql.read("countUses")}`)
  database.prepare("update dropped set spans = ?, calls = ?").run(dropped.spans, dropped.calls)
  const { stored } = SpanRecord.reader(database)
  const writer = SqliteWriter.make(database, file)
  const readSpansAfter = database.prepare(Sql.read("readSpansAfter"))
  let stages = 0
  let last = 0
  for (;;) {
    const spans = readSpansAfter.all(last, batch).map(stored)
    if (spans.length === 0) break
    stages += writer.deriveAgain(spans)
    last = spans.at(-1)!.sequence
  }
  database.prepare("update total set call_spans = ?").run(stages)
}

/** Migrates in one transaction: a process that dies meanwhile leaves the old version as it was. */
export const migrate = (database: DatabaseSync, file: string, from: number, to: number): void => {
  if (from >= to) return
  database.exec("begin immediate")
  try {
    const { user_version: found } = database.prepare("pragma user_version").get() as { readonly user_version: number }
    // Another process may have done it while we waited.
    if (found < to) deriveAnew(database, file)
    database.exec(`pragma user_version = ${to}`)
    database.exec("commit")
  } catch (error) {
    if (database.isTransaction) database.exec("rollback")
    throw error
  }
}
