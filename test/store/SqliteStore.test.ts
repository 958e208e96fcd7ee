import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { conformance } from "./conformance.ts"
import { row, spanId, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

conformance(
  "sqlite",
  Layer.unwrap(Effect.map(temporaryFolder, (folder) => SqliteStore.layer({ path: path.join(folder, "spans.db") })))
)

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
      yield* refuses(path, "StoreTooNew", /version 99, this toolspan reads up to 1/)
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

  it.effect("that is text is refused and left as it is", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/spans.db`
      fs.writeFileSync(path, "dear diary")
      yield* refuses(path, "StoreCorrupt", /not a SQLite database/)
    }))

  it.effect("of another program is refused and left as it is", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/spans.db`
      change(path, "create table photo (id integer primary key)")
      yield* refuses(path, "StoreCorrupt", /another program/)
    }))

  it.effect("that is cut is refused and left as it is", () =>
    Effect.gen(function*() {
      const path = yield* written
      fs.truncateSync(path, fs.statSync(path).size - 4096)
      yield* refuses(path, "StoreCorrupt", /cut/)
    }))

  it.effect("whose pages are damaged is refused and left as it is", () =>
    Effect.gen(function*() {
      const path = yield* written
      const bytes = fs.readFileSync(path)
      fs.writeFileSync(path, bytes.fill(0xaa, 4096, 4096 * 4))
      const before = fs.readFileSync(path)
      const error = yield* Effect.flip(SqliteStore.make({ path }))
      assert.strictEqual(error._tag, "StoreCorrupt")
      assert.isTrue(before.equals(fs.readFileSync(path)))
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
      assert.match(error.message, /locked/)
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
})
