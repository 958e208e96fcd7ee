/**
 * Brings a store of an older version up to date, in place: what is derived from spans is derived again.
 */
import type { DatabaseSync } from "node:sqlite"
import * as SpanRecord from "./SpanRecord.ts"
import * as Sql from "./Sql.ts"
import * as SqliteWriter from "./SqliteWriter.ts"

/** Spans that are read at a time. */
const batch = 1_000

/** Version 1 kept call spans in one table without calls. */
const toSecond = (database: DatabaseSync, file: string): void => {
  database.exec(`drop table call_span; ${Sql.read("derived")}`)
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
    if (found < 2) toSecond(database, file)
    database.exec(`pragma user_version = ${to}`)
    database.exec("commit")
  } catch (error) {
    if (database.isTransaction) database.exec("rollback")
    throw error
  }
}
