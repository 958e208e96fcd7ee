import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as CorruptFile from "../../src/store/CorruptFile.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import * as WriterLock from "../../src/store/WriterLock.ts"
import { row, spanId, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const written = Effect.gen(function*() {
  const file = path.join(yield* temporaryFolder, "spans.db")
  const spans = Array.from({ length: 200 }, (_, index) => row(index + 1, { trace: index + 1 }))
  yield* Effect.scoped(Effect.flatMap(SqliteStore.make({ path: file }), (store) => store.append(spans)))
  return file
})

const damages: Readonly<Record<string, (file: string) => void>> = {
  "is text where toolspan dev has kept its store": (file) => {
    fs.writeFileSync(file, "dear diary")
    fs.writeFileSync(`${file}.lock`, "")
  },
  "ends within its first words": (file) => fs.truncateSync(file, 9),
  "ends within its first page": (file) => fs.truncateSync(file, 60),
  "is all zeros, and short": (file) => fs.writeFileSync(file, Buffer.alloc(10)),
  "begins with zeros, as after a power cut": (file) => {
    fs.writeFileSync(file, fs.readFileSync(file).fill(0, 0, 4096))
  },
  "is cut": (file) => fs.truncateSync(file, fs.statSync(file).size - 4096),
  "has damaged pages": (file) => {
    fs.writeFileSync(file, fs.readFileSync(file).fill(0xaa, 4096, 4096 * 4))
  },
  "has lost a table": (file) => {
    const database = new DatabaseSync(file)
    database.exec("drop table call")
    database.close()
  },
  "has a span in it that cannot be read, and is of an older version": (file) => {
    const database = new DatabaseSync(file)
    database.exec("update span set body = x'ffff'; pragma user_version = 2")
    database.close()
  }
}

describe("a damaged file", () => {
  for (const [title, damage] of Object.entries(damages)) {
    it.effect(`that ${title} is set aside whole, said once, and a new one begins`, () =>
      Effect.gen(function*() {
        const file = yield* written
        damage(file)
        const before = fs.readFileSync(file)
        const messages: Array<string> = []
        const logger = Logger.make<unknown, void>(({ message }) => {
          messages.push(String(message))
        })
        const open = Effect.provide(SqliteStore.make({ path: file }), Logger.layer([logger]))
        const store = yield* Effect.orDie(open)
        assert.deepStrictEqual(yield* store.append([row(1)]), { stored: 1, duplicates: 0 })
        const aside = CorruptFile.asideOf(file)
        assert.lengthOf(aside, 1)
        assert.match(path.basename(aside[0]!.path), /^spans\.db\.corrupt-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/)
        assert.isTrue(before.equals(fs.readFileSync(aside[0]!.path)), "the file that was set aside changed")
        assert.lengthOf(messages, 1)
        assert.include(messages[0], aside[0]!.path)
        yield* open
        assert.lengthOf(messages, 1)
        assert.lengthOf(CorruptFile.asideOf(file), 1)
      }))

    it.effect(`that ${title} is only reported by a reader`, () =>
      Effect.gen(function*() {
        const file = yield* written
        damage(file)
        const before = fs.readFileSync(file)
        const error = yield* Effect.flip(Effect.scoped(Effect.asVoid(Effect.gen(function*() {
          const reader = yield* SqliteStore.makeReader({ path: file })
          // A reader does not look through the whole file: it fails when it meets the damage.
          yield* reader.findCalls({}, { limit: 10 })
          yield* reader.trace(traceId(100))
          yield* reader.stats
        }))))
        assert.include(["StoreCorrupt", "StoreOutdated", "StoreUnavailable"], error._tag)
        assert.isTrue(before.equals(fs.readFileSync(file)))
        assert.deepStrictEqual(CorruptFile.asideOf(file), [])
      }))
  }

  it.effect("takes its write-ahead log along, which a new file would play back", () =>
    Effect.gen(function*() {
      const file = yield* written
      fs.writeFileSync(file, Buffer.alloc(4096))
      fs.writeFileSync(`${file}-wal`, "log")
      fs.writeFileSync(`${file}-shm`, "index")
      yield* SqliteStore.make({ path: file })
      const aside = CorruptFile.asideOf(file)[0]!.path
      assert.strictEqual(fs.readFileSync(`${aside}-wal`, "utf8"), "log")
      assert.strictEqual(fs.readFileSync(`${aside}-shm`, "utf8"), "index")
    }))

  const foreign: Readonly<Record<string, readonly [string, Buffer]>> = {
    "text under a database's name": ["spans.db", Buffer.from("dear diary ".repeat(1_000))],
    "one character": ["spans.db", Buffer.from("\n")],
    "almost a database": ["spans.sqlite", Buffer.from("SQLite format 2\0".padEnd(4096, "\0"))],
    "zeros under a name that is no database's": ["disk.img", Buffer.alloc(4096)]
  }
  for (const [what, [name, content]] of Object.entries(foreign)) {
    it.effect(`that never was ours (${what}) is refused, says what to do, and stays as it is`, () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const file = path.join(folder, name)
        fs.writeFileSync(file, content)
        for (const open of [SqliteStore.make, SqliteStore.makeReader, WriterLock.take]) {
          const error = yield* Effect.flip(Effect.scoped(Effect.asVoid(open({ path: file }))))
          assert.strictEqual(error._tag, "StoreCorrupt")
          assert.match(error.message, /not a SQLite database\. Choose another file, or move this one away\./)
        }
        assert.isTrue(content.equals(fs.readFileSync(file)))
        assert.deepStrictEqual(fs.readdirSync(folder), [name])
      }))
  }

  it.effect("stays where it is when another process has replaced it meanwhile", () =>
    Effect.gen(function*() {
      const file = yield* written
      const damaged = CorruptFile.identityOf(file)
      fs.renameSync(file, `${file}.corrupt-by-another`)
      fs.copyFileSync(`${file}.corrupt-by-another`, file)
      yield* CorruptFile.setAside({ path: file, reason: "cut" }, damaged)
      assert.lengthOf(CorruptFile.asideOf(file), 1)
      assert.isTrue(fs.existsSync(file))
    }))
})

it.effect("a file whose last pages are still in the write-ahead log is whole", () =>
  Effect.gen(function*() {
    const file = path.join(yield* temporaryFolder, "spans.db")
    const store = yield* SqliteStore.make({ path: file })
    const rows = Array.from({ length: 500 }, (_, index) => row(index + 1))
    yield* store.append(rows)
    // As a process leaves it that is killed while the log is copied: the first page says how large the file is to become.
    const copy = path.join(yield* temporaryFolder, "copy.db")
    fs.copyFileSync(`${file}-wal`, `${copy}-wal`)
    const log = fs.readFileSync(`${copy}-wal`)
    const page = Buffer.alloc(4096)
    for (let at = 32; at + 24 + 4096 <= log.length; at += 24 + 4096) {
      if (log.readUInt32BE(at) === 1) log.copy(page, 0, at + 24, at + 24 + 4096)
    }
    fs.writeFileSync(copy, page)
    assert.isAbove(page.readUInt32BE(28), 10)
    for (const open of [SqliteStore.makeReader, SqliteStore.make]) {
      const found = yield* Effect.scoped(
        Effect.flatMap(open({ path: copy }), (one) => one.span({ traceId: traceId(1), spanId: spanId(500) }))
      )
      assert.isDefined(found)
    }
    assert.deepStrictEqual(CorruptFile.asideOf(copy), [])
  }))
