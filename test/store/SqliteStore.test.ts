import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { AttributeValue } from "../../src/otlp/SpanRow.ts"
import * as Retention from "../../src/store/Retention.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { conformance } from "./conformance.ts"
import { link, row, spanId, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

conformance(
  "sqlite",
  Layer.unwrap(Effect.map(temporaryFolder, (folder) => SqliteStore.layer({ path: path.join(folder, "spans.db") })))
)

const callValues = (id: string, more: Readonly<Record<string, AttributeValue>> = {}) => ({
  "gen_ai.tool.call.id": id,
  "toolspan.call.key": id,
  "toolspan.stage": "execution",
  "gen_ai.tool.name": "lookup",
  ...more
})

const file = Effect.map(temporaryFolder, (folder) => path.join(folder, "deeper", "spans.db"))

/** A closed store with one span. */
const written = Effect.gen(function*() {
  const path = yield* file
  yield* Effect.scoped(Effect.flatMap(SqliteStore.make({ path }), (store) => store.append([row(1)])))
  return path
})

const refuses = Effect.fnUntraced(function*(path: string, tag: string, reason: RegExp) {
  const before = fs.readFileSync(path)
  const beside = fs.readdirSync(path.replace(/[^/]*$/, ""))
  for (const open of [SqliteStore.make, SqliteStore.makeReader]) {
    const error = yield* Effect.flip(Effect.scoped(Effect.asVoid(open({ path }))))
    assert.strictEqual(error._tag, tag)
    assert.match(error.message, reason)
    assert.include(error.message, path)
  }
  assert.isTrue(before.equals(fs.readFileSync(path)), "the file changed")
  assert.deepStrictEqual(fs.readdirSync(path.replace(/[^/]*$/, "")), beside)
})

const change = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

describe("a store file", () => {
  it.effect("is refused where its folder cannot be made", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        Effect.scoped(Effect.asVoid(SqliteStore.make({ path: "/proc/toolspan/a/spans.db" })))
      )
      assert.strictEqual(error._tag, "StoreUnavailable")
      assert.include(error.message, "/proc/toolspan")
    }))

  it.effect("is there again after it was closed", () =>
    Effect.gen(function*() {
      const path = yield* written
      const store = yield* SqliteStore.make({ path })
      assert.deepStrictEqual(yield* store.append([row(1), row(2)]), { stored: 1, duplicates: 1 })
      assert.deepStrictEqual((yield* store.trace(traceId(1))).map((span) => span.row), [row(1), row(2)])
    }))

  it.effect("is read while another connection writes to it, and shows what was appended meanwhile", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* SqliteStore.make({ path })
      const reader = yield* SqliteStore.makeReader({ path })
      assert.strictEqual((yield* reader.stats).spans, 0)
      yield* store.append([row(1)])
      assert.lengthOf(yield* reader.trace(traceId(1)), 1)
      assert.notProperty(reader, "append")
    }))

  it.effect("that is not there is made for writing, and missing for reading", () =>
    Effect.gen(function*() {
      const path = yield* file
      const error = yield* Effect.flip(SqliteStore.makeReader({ path }))
      assert.strictEqual(error._tag, "StoreMissing")
      assert.isFalse(fs.existsSync(path))
      yield* SqliteStore.make({ path })
      assert.isTrue(fs.existsSync(path))
    }))

  it.effect("that is empty is made for writing, and missing for reading", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/spans.db`
      fs.writeFileSync(path, "")
      assert.strictEqual((yield* Effect.flip(SqliteStore.makeReader({ path })))._tag, "StoreMissing")
      yield* (yield* SqliteStore.make({ path })).append([row(1)])
    }))

  it.effect("from a newer version is refused and left as it is", () =>
    Effect.gen(function*() {
      const path = yield* written
      change(path, "pragma user_version = 99")
      yield* refuses(path, "StoreTooNew", /version 99, this toolspan reads up to 4/)
    }))

  it.effect("from a newer version is refused when only the write-ahead log says so", () =>
    Effect.gen(function*() {
      const path = yield* written
      const other = new DatabaseSync(path)
      other.exec("pragma user_version = 99")
      const error = yield* Effect.flip(SqliteStore.make({ path }))
      other.close()
      assert.strictEqual(error._tag, "StoreTooNew")
    }))

  it.effect("of another program is refused and left as it is", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/spans.db`
      change(path, "create table photo (id integer primary key)")
      yield* refuses(path, "StoreCorrupt", /another program/)
    }))

  it.effect("of another program that writes a log is refused without a file beside it, and also where it is cut", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/spans.db`
      change(path, "pragma journal_mode = wal; create table photo (id integer primary key)")
      yield* refuses(path, "StoreCorrupt", /another program/)
      fs.truncateSync(path, fs.statSync(path).size - 4096)
      yield* refuses(path, "StoreCorrupt", /another program/)
    }))

  it.effect("is for its owner only, with all that is beside it, wherever it is", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      fs.chmodSync(folder, 0o755)
      const path = `${folder}/spans.db`
      yield* (yield* SqliteStore.make({ path })).append([row(1)])
      const modes = fs.readdirSync(folder).map((name) => [name, fs.statSync(`${folder}/${name}`).mode & 0o777])
      assert.deepStrictEqual(modes, [["spans.db", 0o600], ["spans.db-shm", 0o600], ["spans.db-wal", 0o600]])
    }))

  it.effect("that is no regular file is refused at once", () =>
    Effect.gen(function*() {
      const pipe = `${yield* temporaryFolder}/spans.db`
      execFileSync("sh", ["-c", "mkfifo \"$0\"", pipe])
      for (const path of [pipe, "/dev/null"]) {
        for (const open of [SqliteStore.make, SqliteStore.makeReader]) {
          const error = yield* Effect.flip(Effect.scoped(Effect.asVoid(open({ path }))))
          assert.strictEqual(error._tag, "StoreUnavailable")
          assert.match(error.message, /it is no regular file: choose another one/)
        }
      }
    }))

  it.effect("that is a folder, or that cannot be made, is unavailable", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const error = yield* Effect.flip(SqliteStore.make({ path: folder }))
      assert.strictEqual(error._tag, "StoreUnavailable")
      fs.writeFileSync(path.join(folder, "plain"), "")
      const below = yield* Effect.flip(SqliteStore.make({ path: path.join(folder, "plain", "spans.db") }))
      assert.strictEqual(below._tag, "StoreUnavailable")
    }))

  it.effect("that another process locks fails the append whole, and takes it when the lock is gone", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* SqliteStore.make({ path })
      const other = new DatabaseSync(path)
      other.exec("begin immediate")
      const error = yield* Effect.flip(store.append([row(1)]))
      assert.strictEqual(error._tag, "StoreUnavailable")
      assert.match(error.message, /another process writes to it and did not let go within 2 s \(database is locked\)/)
      other.exec("rollback")
      other.close()
      assert.deepStrictEqual(yield* store.append([row(1)]), { stored: 1, duplicates: 0 })
    }))

  it.effect("takes all rows of an append or none", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* SqliteStore.make({ path })
      const broken = { ...row(2), attributes: undefined as never }
      const error = yield* Effect.flip(store.append([row(1), broken]))
      assert.strictEqual(error._tag, "StoreUnavailable")
      assert.strictEqual((yield* store.stats).spans, 0)
      assert.isUndefined(yield* store.span({ traceId: traceId(1), spanId: spanId(1) }))
      yield* store.append([row(1)])
      assert.deepStrictEqual((yield* store.trace(traceId(1))).map((span) => span.row), [row(1)])
    }))

  it.effect("of version 1 is brought up to date in place for writing, and left alone for reading", () =>
    Effect.gen(function*() {
      const path = yield* file
      const rows = [
        row(1, { attributes: callValues("a", { "toolspan.stage": "decision" }) }),
        row(2, {
          links: [link(1, 1, "decided_by")],
          attributes: callValues("a", { "gen_ai.tool.call.result": "canary" })
        }),
        row(3, { trace: 2, attributes: callValues("b") }),
        row(4, { trace: 2 })
      ]
      yield* Effect.scoped(Effect.flatMap(SqliteStore.make({ path }), (store) => store.append(rows)))
      const old = `${path}.old`
      const database = new DatabaseSync(old)
      database.exec(fs.readFileSync(new URL("./version1.sql", import.meta.url), "utf8"))
      database.exec(`attach '${path}' as new; delete from total`)
      for (const table of ["trace", "resource", "scope", "span", "link", "total"]) {
        database.exec(`insert into ${table} select * from new.${table}`)
      }
      database.exec("pragma application_id = 0x5453706e; pragma user_version = 1")
      database.close()
      const error = yield* Effect.flip(SqliteStore.makeReader({ path: old }))
      assert.strictEqual(error._tag, "StoreOutdated")
      const store = yield* SqliteStore.make({ path: old })
      const reader = yield* SqliteStore.makeReader({ path: old })
      for (const one of [store, reader]) {
        const calls = yield* one.findCalls({}, { sort: "oldest", limit: 10 })
        assert.deepStrictEqual(calls.map(({ spans }) => spans.map(({ row }) => row.spanId)), [
          [spanId(1), spanId(2)],
          [spanId(3)]
        ])
        assert.lengthOf(yield* one.findCalls({ text: "CANARY" }, { limit: 10 }), 1)
        assert.deepInclude(yield* one.stats, { spans: 4, callSpans: 3, calls: 2, traces: 2 })
      }
      yield* store.append([row(5, { links: [link(2, 3, "result_of")], attributes: callValues("b") })])
      assert.strictEqual((yield* store.stats).calls, 2)
    }))

  it.effect("of version 2 has its calls derived anew, and still knows what had to go", () =>
    Effect.gen(function*() {
      const path = yield* written
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* SqliteStore.make({ path })
        yield* store.append([
          row(2, { attributes: callValues("a") }),
          row(3, { trace: 3, attributes: callValues("b") })
        ])
        yield* store.drop({ before: row(2).start }, 1)
      }))
      change(path, "drop table other_name; delete from call where key = 'a'; pragma user_version = 2")
      assert.strictEqual((yield* Effect.flip(SqliteStore.makeReader({ path })))._tag, "StoreOutdated")
      const store = yield* SqliteStore.make({ path })
      assert.lengthOf(yield* store.findCalls({ id: "a" }, { limit: 2 }), 1)
      assert.deepInclude(yield* store.stats, { spans: 2, callSpans: 2, calls: 2, dropped: { spans: 1, calls: 0 } })
    }))

  it.effect("keeps nothing of traces that are gone, also where the last link to one goes after its last span", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* SqliteStore.make({ path })
      yield* store.append(
        Array.from(
          { length: 100 },
          (_, index) => row(index + 2, { trace: index + 2, links: [link(index + 1, index + 1, "decided_by")] })
        )
      )
      while ((yield* store.drop({ maxBytes: 0 }, 7)) > 0) yield* store.stats
      const database = new DatabaseSync(path, { readOnly: true })
      const rows = database.prepare(
        "select (select count(*) from trace) as traces, (select count(*) from link) as links"
      )
      assert.deepStrictEqual({ ...rows.get() }, { traces: 0, links: 0 })
      database.close()
    }))

  it.effect("keeps nothing of services and scopes that are gone, and mistakes no new one for an old one", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* SqliteStore.make({ path })
      const reader = yield* SqliteStore.makeReader({ path })
      const of = (service: string, number: number) =>
        row(number, { service, scope: { ...row(1).scope, name: `scope of ${service}` } })
      const left = () => {
        const database = new DatabaseSync(path, { readOnly: true })
        const counts = ["resource", "scope"].map((table) =>
          database.prepare(`select count(*) as count from ${table}`).get()!["count"]
        )
        database.close()
        return counts
      }
      const services = Effect.fnUntraced(function*() {
        const rows = (yield* reader.trace(traceId(1))).map(({ row }) => row)
        return rows.map(({ resource, scope }) => [resource.attributes[0]!.value, scope.name])
      })
      const told = (...names: ReadonlyArray<string>) => names.map((name) => [name, `scope of ${name}`])
      const first = [of("a", 1), of("b", 2), of("a", 3), of("c", 4)]
      assert.deepStrictEqual(yield* store.append(first), { stored: 4, duplicates: 0 })
      // A service that comes with nothing but spans that are there already.
      assert.deepStrictEqual(yield* store.append([of("d", 4)]), { stored: 0, duplicates: 1 })
      assert.deepStrictEqual(yield* services(), told("a", "b", "a", "c"))
      const before = (number: number) => store.drop({ before: row(number).start }, 100)
      assert.strictEqual(yield* before(3), 2)
      assert.deepStrictEqual(yield* services(), told("a", "c"))
      // The last one stays until the next comes: its number is not given again.
      assert.deepStrictEqual(left(), [3, 3])
      assert.strictEqual(yield* before(5), 2)
      assert.deepStrictEqual(left(), [1, 1])
      yield* store.append([of("e", 5), of("a", 6), of("f", 7)])
      assert.deepStrictEqual(yield* services(), told("e", "a", "f"))
      assert.strictEqual(yield* before(7), 2)
      assert.deepStrictEqual(left(), [1, 1])
      assert.deepStrictEqual(yield* services(), told("f"))
    }))

  it.effect("of version 3 knows which services and scopes are in use", () =>
    Effect.gen(function*() {
      const path = yield* written
      const services = Array.from({ length: 9 }, (_, index) => row(index + 2, { service: `service ${index}` }))
      yield* Effect.scoped(Effect.flatMap(SqliteStore.make({ path }), (store) => store.append(services)))
      change(path, "drop table resource_use; drop table scope_use; delete from span where id in (2, 3)")
      change(path, "update total set spans = 8; pragma user_version = 3")
      const store = yield* SqliteStore.make({ path })
      yield* store.drop({ before: row(5).start }, 100)
      const database = new DatabaseSync(path, { readOnly: true })
      const { count } = database.prepare("select count(*) as count from resource").get()!
      database.close()
      assert.deepStrictEqual([count, (yield* store.stats).spans], [6, 6])
    }))

  it.effect("takes out what is too old also where what arrived first is younger, as a wrong clock sends it", () =>
    Effect.gen(function*() {
      const store = yield* SqliteStore.make({ path: yield* file })
      const before = row(1).start
      const future = (number: number) => row(number, { start: number % 2 === 0 ? before + 1n : 2n ** 64n - 1n })
      const old = (number: number) => row(number, { start: before - 1n })
      const numbers = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)
      yield* store.append(numbers(1, 5_000).map(future))
      yield* store.append(numbers(6_001, 1_200).map(old))
      yield* store.append(numbers(9_001, 100).map(future))
      let dropped = 0
      // Each step looks through some of them only.
      for (let step = 0; step < 10; step++) dropped += yield* store.drop({ before }, 500)
      assert.strictEqual(dropped, 1_200)
      assert.strictEqual((yield* store.stats).spans, 5_100)
      yield* store.append([old(20_000)])
      for (let step = 0; step < 10; step++) dropped += yield* store.drop({ before }, 500)
      assert.strictEqual(dropped, 1_201)
    }))

  it.effect("stays within its size: what arrived first goes first, and what is freed is used again", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* SqliteStore.make({ path })
      const padding = "x".repeat(2_000)
      const batch = (from: number) =>
        store.append(
          Array.from({ length: 200 }, (_, index) =>
            row(from + index, { trace: from + index, attributes: callValues(`c${from + index}`, { padding }) }))
        )
      for (let from = 1; from <= 2_001; from += 200) yield* batch(from)
      const pages = (): number => {
        const database = new DatabaseSync(path, { readOnly: true })
        const { page_count: count } = database.prepare("pragma page_count").get() as { readonly page_count: number }
        database.close()
        return count
      }
      const full = pages()
      const limits = { maxBytes: 2_000_000 }
      const dropped = yield* TestClock.withLive(Retention.sweep(store, limits))
      assert.isAbove(dropped, 500)
      const stats = yield* store.stats
      assert.deepStrictEqual(stats.dropped, { spans: dropped, calls: dropped })
      assert.strictEqual(stats.spans, 2_200 - dropped)
      assert.strictEqual(stats.calls, stats.spans)
      assert.strictEqual(stats.traces, stats.spans)
      assert.strictEqual(stats.oldest, row(dropped + 1).start)
      assert.lengthOf(yield* store.findCalls({ id: "c1" }, { limit: 1 }), 0)
      assert.lengthOf(yield* store.findCalls({ id: "c2200" }, { limit: 1 }), 1)
      assert.strictEqual(yield* TestClock.withLive(Retention.sweep(store, limits)), 0)
      for (let from = 3_001; from < 4_000; from += 200) yield* batch(from)
      assert.isAtMost(pages(), full + 100)
    }))
})
