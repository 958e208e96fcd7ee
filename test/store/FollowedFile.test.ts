import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as CorruptFile from "../../src/store/CorruptFile.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import * as ThreadedStore from "../../src/store/ThreadedStore.ts"
import { row, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const rows = (first: number, count: number) => Array.from({ length: count }, (_, index) => row(first + index))

const suffixes = ["", "-wal", "-shm"]

const file = Effect.map(temporaryFolder, (folder) => path.join(folder, "spans.db"))

/** The spans that there are after the process that writes is killed now: what the disk has is what is left of it. */
const afterKill = Effect.fnUntraced(function*(from: string) {
  const copy = yield* file
  for (const suffix of suffixes) if (fs.existsSync(from + suffix)) fs.copyFileSync(from + suffix, copy + suffix)
  const { spans } = yield* Effect.scoped(Effect.flatMap(SqliteStore.make({ path: copy }), (store) => store.stats))
  assert.deepStrictEqual(CorruptFile.asideOf(copy), [])
  return spans
})

const isWhole = (file: string): void => {
  const database = new DatabaseSync(file, { readOnly: true })
  assert.deepStrictEqual({ ...database.prepare("pragma integrity_check").get() }, { integrity_check: "ok" })
  database.close()
}

const removals: Readonly<Record<string, ReadonlyArray<string>>> = {
  "whose log is deleted": ["-wal"],
  "whose log's index is deleted": ["-shm"],
  "whose log is deleted with its index": ["-wal", "-shm"]
}

describe("a store that is open", () => {
  for (const [title, removed] of Object.entries(removals)) {
    it.live(`${title} has everything that was acknowledged, even when it is killed then`, () =>
      Effect.gen(function*() {
        const path = yield* file
        const removal = () => removed.forEach((suffix) => fs.rmSync(path + suffix))
        yield* Effect.scoped(Effect.gen(function*() {
          const store = yield* ThreadedStore.make({ path })
          yield* store.append(rows(1, 50))
          removal()
          // As retention does each second, where nothing else comes.
          assert.strictEqual(yield* store.drop({}, 10), 0)
          assert.strictEqual(yield* afterKill(path), 50)
          assert.strictEqual((yield* store.stats).spans, 50)
          removal()
          assert.strictEqual((yield* store.stats).spans, 50)
          assert.strictEqual(yield* afterKill(path), 50)
          removal()
          // Many at a time: the thread has them before it is told that nobody reads any more.
          const each = rows(41, 30).map((one) => store.append([one]))
          yield* Effect.all(each, { concurrency: "unbounded" })
          assert.strictEqual(yield* afterKill(path), 70)
          assert.lengthOf(yield* store.trace(traceId(1)), 70)
          const other = yield* SqliteStore.makeReader({ path })
          assert.strictEqual((yield* other.stats).spans, 70)
          removal()
        }))
        isWhole(path)
        const again = yield* ThreadedStore.make({ path })
        assert.strictEqual((yield* again.stats).spans, 70)
        assert.deepStrictEqual(CorruptFile.asideOf(path), [])
      }))
  }

  it.live(
    "whose log is deleted while another process reads takes nothing until all of it is in the file",
    () =>
      Effect.gen(function*() {
        const path = yield* file
        const store = yield* ThreadedStore.make({ path })
        yield* store.append(rows(1, 50))
        const other = new DatabaseSync(path, { readOnly: true })
        other.exec("begin")
        other.prepare("select count(*) from span").get()
        yield* store.append(rows(51, 10))
        fs.rmSync(`${path}-wal`)
        const error = yield* Effect.flip(store.append(rows(61, 10)))
        assert.strictEqual(error._tag, "StoreUnavailable")
        assert.match(error.message, /log .*deleted.*another process reads/)
        other.close()
        assert.deepStrictEqual(yield* store.append(rows(61, 10)), { stored: 10, duplicates: 0 })
        assert.strictEqual(yield* afterKill(path), 70)
        assert.strictEqual((yield* store.stats).spans, 70)
      }),
    20_000
  )

  it.live("whose file is moved away leaves everything that was acknowledged in that, and begins a new one", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* ThreadedStore.make({ path })
      yield* store.append(rows(1, 50))
      fs.renameSync(path, `${path}.old`)
      yield* store.append(rows(1, 20))
      assert.strictEqual((yield* store.stats).spans, 20)
      assert.strictEqual(yield* afterKill(`${path}.old`), 50)
      assert.strictEqual(yield* afterKill(path), 20)
    }))

  const cuts: Readonly<Record<string, (file: string) => void>> = {
    "to nothing": (file) => fs.truncateSync(file, 0),
    "in its first page": (file) => fs.truncateSync(file, 1_000),
    "after its first page": (file) => fs.truncateSync(file, 4096),
    "by one page": (file) => fs.truncateSync(file, fs.statSync(file).size - 4096)
  }
  for (const [title, cut] of Object.entries(cuts)) {
    it.live(`whose file is cut ${title} sets it aside as it is, with its log, and begins a new one`, () =>
      Effect.gen(function*() {
        const path = yield* file
        yield* Effect.scoped(Effect.flatMap(ThreadedStore.make({ path }), (store) => store.append(rows(1, 50))))
        yield* Effect.scoped(Effect.gen(function*() {
          const store = yield* ThreadedStore.make({ path })
          yield* store.append(rows(51, 50))
          cut(path)
          const [database, log] = ["", "-wal"].map((suffix) => fs.readFileSync(path + suffix))
          assert.strictEqual((yield* store.stats).spans, 0)
          const [aside, ...others] = CorruptFile.asideOf(path)
          assert.lengthOf(others, 0)
          assert.isTrue(database!.equals(fs.readFileSync(aside!.path)), "the file that was set aside changed")
          assert.isTrue(log!.equals(fs.readFileSync(`${aside!.path}-wal`)), "its log changed")
          assert.deepStrictEqual(yield* store.append(rows(1, 30)), { stored: 30, duplicates: 0 })
          assert.strictEqual(yield* afterKill(path), 30)
          assert.strictEqual((yield* store.stats).spans, 30)
        }))
        isWhole(path)
        assert.lengthOf(CorruptFile.asideOf(path), 1)
      }))
  }

  it.live("whose file is cut before it ends sets it aside too", () =>
    Effect.gen(function*() {
      const path = yield* file
      yield* Effect.scoped(Effect.flatMap(ThreadedStore.make({ path }), (store) => store.append(rows(1, 50))))
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* ThreadedStore.make({ path })
        yield* store.append(rows(51, 50))
        fs.truncateSync(path, 4096)
      }))
      assert.lengthOf(CorruptFile.asideOf(path), 1)
      assert.isFalse(fs.existsSync(path))
    }))

  it.live("whose log is cut sets both aside", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* ThreadedStore.make({ path })
      yield* store.append(rows(1, 50))
      fs.truncateSync(`${path}-wal`, 0)
      assert.strictEqual((yield* store.stats).spans, 0)
      assert.lengthOf(CorruptFile.asideOf(path), 1)
      assert.deepStrictEqual(yield* store.append(rows(1, 30)), { stored: 30, duplicates: 0 })
      assert.strictEqual(yield* afterKill(path), 30)
    }))

  it.live("goes on when another program makes its file smaller, or copies its log into it", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* ThreadedStore.make({ path })
      yield* store.append(rows(1, 2_000))
      assert.strictEqual(yield* store.drop({ maxBytes: 0 }, 1_900), 1_900)
      const other = new DatabaseSync(path)
      other.exec("pragma wal_checkpoint(truncate)")
      const before = fs.statSync(path).size
      assert.strictEqual((yield* store.stats).spans, 100)
      other.exec("vacuum; pragma wal_checkpoint(truncate)")
      other.close()
      assert.isBelow(fs.statSync(path).size, before)
      assert.strictEqual((yield* store.stats).spans, 100)
      assert.deepStrictEqual(yield* store.append(rows(3_001, 20)), { stored: 20, duplicates: 0 })
      assert.strictEqual(yield* afterKill(path), 120)
      assert.deepStrictEqual(CorruptFile.asideOf(path), [])
    }))
})
