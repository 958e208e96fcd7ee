/**
 * The raw limit: the rows of a store's tables put into an empty file of the same schema by prepared statements, in
 * transactions of as many spans as a request has. `node raw.ts <file> <spans> <target>` prints what it took; the rows are
 * read before the clock runs.
 */
import * as fs from "node:fs"
import process from "node:process"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import * as Sql from "../../../src/store/Sql.ts"

const [, , file = "", wanted = "0", target = ""] = process.argv
const transactionSpans = 520
const readAhead = 40

/** A table, the column that grows with arrival, and from which table's rows of a transaction its end is read. */
const tables = ["trace", "resource", "scope", "span", "link", "call_span", "call", "conversation_trace", "violation"]

for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(`${target}${suffix}`, { force: true })
const source = new DatabaseSync(file, { readOnly: true })
const database = new DatabaseSync(target)
// As the store opens its file.
database.exec(
  "pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -16000; pragma wal_autocheckpoint = 8000"
)
database.exec(`${Sql.read("schema")};${Sql.read("derived")}`)

type Row = ReadonlyArray<SQLInputValue>

/** The rows that a transaction brings: those of its spans, and numbers up to the largest that its spans have. */
const bounds: Readonly<Record<string, string>> = {
  trace: "select * from trace where id > ?1 and id <= ?2 order by id",
  resource: "select * from resource where id > ?1 and id <= ?2 order by id",
  scope: "select * from scope where id > ?1 and id <= ?2 order by id",
  span: "select * from span where id > ?1 and id <= ?2 order by id",
  call_span: "select * from call_span where id > ?1 and id <= ?2 order by id",
  call: "select * from call where id > ?1 and id <= ?2 order by id",
  link: "select * from link where source > ?1 and source <= ?2",
  conversation_trace: "select * from conversation_trace where trace > ?1 and trace <= ?2",
  violation: "select * from violation where span > ?1 and span <= ?2"
}

/** Links are stored by their target: finding those of a span needs an order of their own. */
source.exec(
  "create temp table bench_link as select * from link order by source; create index temp.bl on bench_link (source)"
)
source.exec(
  "create temp table bench_conversation as select * from conversation_trace; create index temp.bc on bench_conversation (trace)"
)
const reading = Object.fromEntries(tables.map((name) => {
  const text = bounds[name]!.replace("from link", "from temp.bench_link").replace(
    "from conversation_trace",
    "from temp.bench_conversation"
  )
  const statement = source.prepare(text)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  return [name, statement]
}))
const inserting: Record<string, StatementSync> = {}
for (const name of tables) {
  const width = source.prepare(`select * from ${name} limit 1`).columns().length
  inserting[name] = database.prepare(`insert into ${name} values (${Array.from({ length: width }, () => "?").join()})`)
}
const totals = database.prepare("update total set spans = spans + ?")
const last = source.prepare(
  `select max(trace) as trace, max(resource) as resource, max(scope) as scope,
    (select max(call) from call_span where call_span.id > ?1 and call_span.id <= ?2) as call
  from span where id > ?1 and id <= ?2`
)

const stop = Math.min(
  Number(wanted),
  (source.prepare("select max(id) as id from span").get() as { readonly id: number }).id
)
const from: Record<string, number> = { trace: 0, resource: 0, scope: 0, call: 0 }

const batch = (begin: number): ReadonlyArray<readonly [string, ReadonlyArray<Row>]> => {
  const end = Math.min(begin + transactionSpans, stop)
  const ends = last.get(begin, end) as Record<string, number | null>
  const rows = tables.map((name): readonly [string, ReadonlyArray<Row>] => {
    const numbered = name === "conversation_trace" ? "trace" : name
    const own = numbered in from
    const low = own ? from[numbered]! : begin
    const high = own ? Math.max(low, ends[numbered] ?? 0) : end
    return [name, reading[name]!.all(low, high) as unknown as ReadonlyArray<Row>]
  })
  for (const name of Object.keys(from)) from[name] = Math.max(from[name]!, ends[name] ?? 0)
  return rows
}

let millis = 0
let processor = 0
let rows = 0
for (let begin = 0; begin < stop;) {
  const batches = []
  for (let count = 0; count < readAhead && begin < stop; count++, begin += transactionSpans) batches.push(batch(begin))
  const used = process.cpuUsage()
  const began = performance.now()
  for (const one of batches) {
    database.exec("begin immediate")
    for (const [name, list] of one) {
      const insert = inserting[name]!
      for (const row of list) insert.run(...row)
      rows += list.length
    }
    totals.run(transactionSpans)
    database.exec("commit")
  }
  millis += performance.now() - began
  const { system, user } = process.cpuUsage(used)
  processor += system + user
}
process.stdout.write(JSON.stringify({ spans: stop, rows, seconds: millis / 1_000, micros: processor / stop }))
