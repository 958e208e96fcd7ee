import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as CorruptFile from "../../src/store/CorruptFile.ts"
import * as ThreadedStore from "../../src/store/ThreadedStore.ts"
import fc from "fast-check"
import * as arbitrary from "../otlp/arbitrary.ts"
import * as body from "../otlp/body.ts"
import { row, spanId, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const file = Effect.map(temporaryFolder, (folder) => path.join(folder, "spans.db"))

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
      fs.writeFileSync(path, "dear diary")
      const store = yield* ThreadedStore.make({ path })
      assert.deepStrictEqual(yield* store.append([row(1)]), { stored: 1, duplicates: 0 })
      assert.lengthOf(CorruptFile.asideOf(path), 1)
    }))
})
