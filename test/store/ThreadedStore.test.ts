import * as fs from "node:fs"
import * as path from "node:path"
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import type { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { PbfWriter } from "pbf"
import * as DevServer from "../../src/cli/DevServer.ts"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import * as CorruptFile from "../../src/store/CorruptFile.ts"
import * as SqliteFile from "../../src/store/SqliteFile.ts"
import * as ThreadedStore from "../../src/store/ThreadedStore.ts"
import { TraceReader } from "../../src/store/TraceReader.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import fc from "fast-check"
import * as arbitrary from "../otlp/arbitrary.ts"
import * as body from "../otlp/body.ts"
import { send } from "../receive/client.ts"
import { conformance } from "./conformance.ts"
import { ours } from "./Engine.ts"
import { row, spanId, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const file = Effect.map(temporaryFolder, (folder) => path.join(folder, "spans.db"))

conformance(
  "sqlite with a writing thread",
  Layer.effectContext(
    Effect.gen(function*() {
      const store = yield* ThreadedStore.make({ path: yield* file })
      return Context.make(TraceStore, store).pipe(Context.add(TraceReader, store))
    })
  ),
  // Each starts a thread.
  { ...ours, arrangements: 6 }
)

/** A store and the threads that it has started, the last one last. */
const watched = Effect.fnUntraced(function*(path: string) {
  const threads: Array<Worker> = []
  const note = (worker: Worker) => threads.push(worker)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("worker", note)),
    () => Effect.sync(() => process.off("worker", note))
  )
  const store = yield* ThreadedStore.make({ path })
  const kill = Effect.suspend(() => Effect.promise(() => threads.at(-1)!.terminate()))
  return { store, threads, kill }
})

describe("a store whose writing thread dies", () => {
  it.live("keeps what was acknowledged, fails what was under way, and goes on with a new thread", () =>
    Effect.gen(function*() {
      const path = yield* file
      const { kill, store, threads } = yield* watched(path)
      yield* store.append([row(1)])
      const other = new DatabaseSync(path)
      other.exec("begin immediate")
      // These wait for the lock when the thread ends.
      const asked = [row(2), row(3)].map((one) => Effect.flip(store.append([one])))
      const [errors] = yield* Effect.all([Effect.all(asked, { concurrency: "unbounded" }), kill], {
        concurrency: "unbounded"
      })
      for (const error of errors) {
        assert.strictEqual(error._tag, "StoreUnavailable")
        assert.match(
          error.message,
          /writing thread ended: exit code 1\. What was acknowledged is kept; .* Send this one again/
        )
      }
      assert.lengthOf(yield* store.trace(traceId(1)), 1)
      other.exec("rollback")
      other.close()
      const again = [row(1), row(2), row(3)].map((one) => store.append([one]))
      assert.deepStrictEqual((yield* Effect.all(again, { concurrency: "unbounded" })).map(({ stored }) => stored), [
        0,
        1,
        1
      ])
      assert.lengthOf(threads, 2)
      assert.lengthOf(yield* store.trace(traceId(1)), 3)
      yield* kill
      assert.deepInclude(yield* store.take!(body.protobuf(row(4)), "protobuf"), { stored: 1 })
      assert.lengthOf(threads, 3)
    }))

  it.live("says why when a new thread cannot open the file, and tries again with the next order", () =>
    Effect.gen(function*() {
      const path = yield* file
      const { kill, store } = yield* watched(path)
      yield* store.append([row(1)])
      const setVersion = (version: number) => {
        const database = new DatabaseSync(path)
        database.exec(`pragma user_version = ${version}`)
        database.close()
      }
      yield* kill
      setVersion(99)
      const error = yield* Effect.flip(store.append([row(2)]))
      assert.strictEqual(error._tag, "StoreUnavailable")
      assert.match(error.message, /version 99/)
      setVersion(SqliteFile.version)
      assert.deepStrictEqual(yield* store.append([row(1), row(2)]), { stored: 1, duplicates: 1 })
    }))

  it.live("answers the exporter with 503 and when to try again, and takes the next request", () =>
    Effect.gen(function*() {
      const path = yield* file
      const { kill, store } = yield* watched(path)
      const { port } = yield* DevServer.make({ store, port: 0, folder: "/nowhere" })
      const post = (number: number) => {
        const given = body.protobuf(row(number))
        return send(port, {
          method: "POST",
          path: "/v1/traces",
          headers: { "content-type": "application/x-protobuf" },
          body: given
        })
      }
      assert.strictEqual((yield* post(1)).status, 200)
      const other = new DatabaseSync(path)
      other.exec("begin immediate")
      const [refused] = yield* Effect.all([post(2), Effect.andThen(Effect.sleep("300 millis"), kill)], {
        concurrency: "unbounded"
      })
      assert.strictEqual(refused.status, 503)
      assert.include(refused.text, "writing thread ended")
      other.exec("rollback")
      other.close()
      assert.strictEqual((yield* post(2)).status, 200)
      assert.lengthOf(yield* store.trace(traceId(1)), 2)
    }))
})

const remove = (path: string): void => fs.rmSync(path, { recursive: true, force: true })

/** Ways in which a user begins anew while `toolspan dev` runs. */
const removals: Readonly<Record<string, (path: string) => void>> = {
  "is deleted": remove,
  "is deleted with what is beside it": (path) => ["", "-wal", "-shm"].forEach((suffix) => remove(path + suffix)),
  "is deleted with its folder": (file) => remove(path.dirname(file)),
  "is replaced": (file) => {
    fs.writeFileSync(`${file}.new`, "")
    fs.renameSync(`${file}.new`, file)
  }
}

describe("a store whose file", () => {
  for (const [title, removal] of Object.entries(removals)) {
    it.live(`${title} while it is open begins a new one, in which everything acknowledged is`, () =>
      Effect.gen(function*() {
        const file = path.join(yield* temporaryFolder, "folder", "spans.db")
        const rows = (first: number, count: number) => Array.from({ length: count }, (_, index) => row(first + index))
        yield* Effect.scoped(Effect.gen(function*() {
          const store = yield* ThreadedStore.make({ path: file })
          yield* store.append(rows(1, 50))
          removal(file)
          assert.strictEqual((yield* store.stats).spans, 0)
          removal(file)
          assert.deepStrictEqual(yield* store.append(rows(1, 30)), { stored: 30, duplicates: 0 })
          assert.strictEqual((yield* store.stats).spans, 30)
          assert.lengthOf(yield* store.trace(traceId(1)), 30)
        }))
        const again = yield* ThreadedStore.make({ path: file })
        assert.strictEqual((yield* again.stats).spans, 30)
        assert.deepStrictEqual(CorruptFile.asideOf(file), [])
        const database = new DatabaseSync(file, { readOnly: true })
        assert.deepStrictEqual({ ...database.prepare("pragma integrity_check").get() }, { integrity_check: "ok" })
        database.close()
      }))
  }
})

describe("a store with a writing thread", () => {
  it.live("takes encoded requests, many at a time, and has them when it says so", () =>
    Effect.gen(function*() {
      const store = yield* ThreadedStore.make({ path: yield* file })
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index + 1),
        Effect.fnUntraced(function*(number) {
          const taken = yield* store.take!(body.protobuf(row(number)), "protobuf")
          assert.deepStrictEqual(taken, { stored: 1, duplicates: 0, refused: 0, reasons: [] })
          assert.isDefined(yield* store.span({ traceId: traceId(1), spanId: spanId(number) }))
        }),
        { concurrency: "unbounded" }
      )
      const json = Buffer.from(JSON.stringify(body.json(row(1, { traceId: "00".repeat(16) }))))
      assert.deepInclude(yield* store.take!(json, "json"), { stored: 0, refused: 1 })
    }))

  it.live("gives every field of every span back as it was given, and takes out what is too old", () =>
    Effect.gen(function*() {
      const store = yield* ThreadedStore.make({ path: yield* file })
      const spans = fc.sample(arbitrary.span, { numRuns: 50, seed: 7 })
      assert.deepStrictEqual(yield* store.append(spans), { stored: 50, duplicates: 0 })
      for (const span of spans) assert.deepStrictEqual((yield* store.span(span))?.row, span)
      assert.strictEqual(yield* store.drop({ maxBytes: 0 }, 30), 30)
      assert.deepInclude(yield* store.stats, { spans: 20 })
    }))

  it.live("keeps what is written otherwise than it would write it, and gives the same back as was decoded", () =>
    Effect.gen(function*() {
      const path = yield* file
      const pbf = new PbfWriter()
      const odd = (number: number) => (_: unknown, span: PbfWriter): void => {
        span.writeStringField(900, "a field of a later version")
        span.writeBytesField(5, Buffer.from([0x6f, 0xff, 0x64]))
        span.writeMessage(15, (_, status) => status.writeVarintField(3, 2), 0)
        span.writeBytesField(1, Buffer.from(traceId(1), "hex"))
        span.writeBytesField(4, new Uint8Array(8))
        span.writeMessage(15, (_, status) => status.writeStringField(2, "later"), 0)
        span.writeBytesField(2, Buffer.from(spanId(number), "hex"))
      }
      const broken = (_: unknown, span: PbfWriter): void => span.writeVarintField(5, 1)
      const spans = (_: unknown, scopeSpans: PbfWriter): void => {
        for (const write of [odd(1), broken, odd(2)]) scopeSpans.writeMessage(2, write, 0)
      }
      pbf.writeMessage(1, (_, resourceSpans) => resourceSpans.writeMessage(2, spans, 0), 0)
      const request = pbf.finish().slice()
      const { rows } = Result.getOrThrow(TraceRequest.decode(request, "protobuf"))
      const told = rows.map(({ name, parentSpanId, status }) => [name, parentSpanId, status.code, status.message])
      assert.deepStrictEqual(told, Array.from({ length: 2 }, () => ["o\ufffdd", "", 2, "later"]))
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* ThreadedStore.make({ path })
        assert.deepInclude(yield* store.take!(request.slice(), "protobuf"), { stored: 2, refused: 1 })
        assert.deepStrictEqual((yield* store.trace(traceId(1))).map(({ row }) => row), rows)
      }))
      // What is derived is derived from it again.
      const database = new DatabaseSync(path)
      database.exec("pragma user_version = 3")
      database.close()
      const again = yield* ThreadedStore.make({ path })
      assert.deepStrictEqual((yield* again.trace(traceId(1))).map(({ row }) => row), rows)
    }))

  it.live("fails an order that cannot be given, and takes the next", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* ThreadedStore.make({ path })
      // A row that the thread cannot be told of at all.
      const error = yield* Effect.flip(store.append([{ ...row(1), name: (() => {}) as never }]))
      assert.strictEqual(error._tag, "StoreUnavailable")
      assert.deepStrictEqual(yield* store.append([row(1)]), { stored: 1, duplicates: 0 })
    }))

  it.live("says why a request cannot be taken, and goes on", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* ThreadedStore.make({ path })
      const wrong = yield* Effect.flip(store.take!(Buffer.from("no OTLP at all"), "protobuf"))
      assert.strictEqual(wrong._tag, "NotOtlp")
      const other = new DatabaseSync(path)
      other.exec("begin immediate")
      const locked = yield* Effect.flip(store.take!(body.protobuf(row(1)), "protobuf"))
      assert.strictEqual(locked._tag, "StoreUnavailable")
      assert.match(locked.message, /another process writes to it/)
      other.exec("rollback")
      other.close()
      assert.deepInclude(yield* store.take!(body.protobuf(row(1)), "protobuf"), { stored: 1 })
    }))

  it.live("refuses a newer file, sets a damaged one aside, and leaves no log when it is closed", () =>
    Effect.gen(function*() {
      const path = yield* file
      yield* Effect.scoped(Effect.flatMap(ThreadedStore.make({ path }), (store) => store.append([row(1)])))
      assert.deepStrictEqual(fs.readdirSync(path.replace(/[^/]*$/, "")), ["spans.db"])
      const database = new DatabaseSync(path)
      database.exec("pragma user_version = 99")
      database.close()
      const error = yield* Effect.flip(Effect.scoped(ThreadedStore.make({ path })))
      assert.strictEqual(error._tag, "StoreTooNew")
      fs.writeFileSync(path, fs.readFileSync(path).fill(0, 0, 4096))
      const store = yield* ThreadedStore.make({ path })
      assert.deepStrictEqual(yield* store.append([row(1)]), { stored: 1, duplicates: 0 })
      assert.lengthOf(CorruptFile.asideOf(path), 1)
    }))
})
