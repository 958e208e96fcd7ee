import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Query from "../../src/query/Query.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import { StoreUnavailable } from "../../src/store/StoreError.ts"
import * as LiveCalls from "../../src/viewer/LiveCalls.ts"
import { plainCall } from "../query/CallFixture.ts"

const listen = Effect.fnUntraced(function*(query: Query.Query.Shape, ended: Effect.Effect<void> = Effect.never) {
  const heard = yield* Queue.unbounded<string>()
  const stream = yield* LiveCalls.make(query, ended)(undefined)
  const fiber = yield* Effect.forkScoped(
    Stream.runForEach(Stream.decodeText(stream), (text) => Queue.offer(heard, text))
  )
  return { heard, fiber }
})

describe("LiveCalls", () => {
  it.effect("gives a sign of life while nothing happens", () =>
    Effect.gen(function*() {
      const { heard } = yield* listen(Query.make(MemoryStore.make()))
      assert.match(yield* Queue.take(heard), /^id: \d+\n\n$/)
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual(yield* Queue.size(heard), 0)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Queue.take(heard), ": still here\n\n")
    }))

  it.effect("goes on when the store was busy", () =>
    Effect.gen(function*() {
      const store = MemoryStore.make()
      const query = Query.make(store)
      let busy = false
      const { heard } = yield* listen({
        ...query,
        changes: (after) =>
          busy ? Effect.fail(new StoreUnavailable({ path: "spans.db", reason: "busy" })) : query.changes(after)
      })
      yield* Queue.take(heard)
      busy = true
      yield* store.append(plainCall("t1"))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Queue.size(heard), 0)
      busy = false
      yield* TestClock.adjust("1 second")
      assert.match(yield* Queue.take(heard), /event: call\ndata: .*"id":"t1"/)
    }))

  it.effect("ends when the server does", () =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      const { fiber, heard } = yield* listen(Query.make(MemoryStore.make()), Deferred.await(ended))
      yield* Queue.take(heard)
      yield* Deferred.succeed(ended, undefined)
      yield* Fiber.join(fiber)
    }))
})
