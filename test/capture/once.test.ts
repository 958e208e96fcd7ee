import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Toolspan from "../../src/index.ts"
import { done, finish, call as asks, run } from "./World.ts"

const storeOf = (entries = new Map<string, string>()) => {
  const failing = { get: false, set: false }
  const unless = <A>(fails: boolean, effect: Effect.Effect<A>): Effect.Effect<A, string> =>
    fails ? Effect.fail("disk") : effect
  return {
    entries,
    failing,
    get: (key: string) => Effect.suspend(() => unless(failing.get, Effect.sync(() => entries.get(key)))),
    set: (key: string, value: string) =>
      Effect.suspend(() => unless(failing.set, Effect.sync(() => void entries.set(key, value)))),
    remove: (key: string) => Effect.sync(() => void entries.delete(key))
  }
}

const call = (toolCallId?: string) => ({ toolCallId })

/** A handler that counts its runs, and gives the count. */
const counting = () => {
  const runs: Array<unknown> = []
  return { runs, handler: (params: unknown) => Effect.sync(() => runs.push(params)) }
}

const defectOf = (exit: Exit.Exit<unknown, unknown>) => {
  assert.isTrue(Exit.isFailure(exit))
  if (Exit.isSuccess(exit)) throw new Error("it succeeded")
  const [reason] = exit.cause.reasons
  return reason !== undefined && Cause.isDieReason(reason) ? reason.defect : reason
}

describe("once", () => {
  it.effect("runs a call once and gives its result to every replay", () =>
    Effect.gen(function*() {
      const store = storeOf()
      const { handler, runs } = counting()
      const told = Toolspan.once(store)("send", handler)
      const before = (yield* Toolspan.stats).replays
      assert.strictEqual(yield* told({ to: "a" }, call("c1")), 1)
      assert.strictEqual(yield* told({ to: "a" }, call("c1")), 1)
      // Another wrapper of the store is as good: the record is in the store.
      assert.strictEqual(yield* Toolspan.once(store)("send", handler)({ to: "a" }, call("c1")), 1)
      assert.lengthOf(runs, 1)
      assert.strictEqual((yield* Toolspan.stats).replays, before + 2)
    }))

  it.effect("tells calls apart by conversation, tool, id and arguments", () =>
    Effect.gen(function*() {
      const store = storeOf()
      const { handler, runs } = counting()
      const send = Toolspan.once(store)("send", handler)
      const calls = [
        send({ to: "a" }, call("c1")),
        send({ to: "a" }, call("c2")),
        send({ to: "b" }, call("c1")),
        Toolspan.once(store)("wipe", handler)({ to: "a" }, call("c1")),
        send({ to: "a" }, call("c1")).pipe(Toolspan.withConversation("one")),
        send({ to: "a" }, call("c1")).pipe(Toolspan.withConversation("two"))
      ]
      assert.deepStrictEqual(yield* Effect.all(calls), [1, 2, 3, 4, 5, 6])
      assert.deepStrictEqual(yield* Effect.all(calls), [1, 2, 3, 4, 5, 6])
      assert.lengthOf(runs, 6)
      assert.strictEqual(store.entries.size, 6)
    }))

  it.effect("runs a call without an id each time", () =>
    Effect.gen(function*() {
      const store = storeOf()
      const { handler } = counting()
      const send = Toolspan.once(store)("send", handler)
      assert.deepStrictEqual(
        yield* Effect.all([send(1, call()), send(1, call()), send(1, call(""))]),
        [1, 2, 3]
      )
      assert.strictEqual(store.entries.size, 0)
    }))

  it.effect("lets two runs at one time share one", () =>
    Effect.gen(function*() {
      const entered = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      let runs = 0
      const send = Toolspan.once(storeOf())("send", () =>
        Effect.gen(function*() {
          runs++
          yield* Deferred.succeed(entered, undefined)
          yield* Deferred.await(release)
          return "sent"
        }))
      const first = yield* Effect.forkChild(send(1, call("c1")))
      yield* Deferred.await(entered)
      const second = yield* Effect.forkChild(send(1, call("c1")))
      yield* Effect.yieldNow
      yield* Deferred.succeed(release, undefined)
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["sent", "sent"])
      assert.strictEqual(runs, 1)
    }))

  it.effect("shares a failure among those that wait for it, and lets the call be tried again", () =>
    Effect.gen(function*() {
      const store = storeOf()
      let runs = 0
      const send = Toolspan.once(store)("send", () =>
        Effect.suspend(() => {
          runs++
          return Effect.andThen(
            Effect.yieldNow,
            runs === 1 ? Effect.fail("no network" as const) : Effect.succeed("sent")
          )
        }))
      const both = yield* Effect.forEach([call("c1"), call("c1")], (one) => Effect.flip(send(1, one)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(both, ["no network", "no network"])
      assert.deepStrictEqual([runs, store.entries.size], [1, 0])
      assert.strictEqual(yield* send(1, call("c1")), "sent")
      assert.strictEqual(yield* send(1, call("c1")), "sent")
      assert.strictEqual(runs, 2)
    }))

  it.effect("runs anew for who waits when the first run is interrupted", () =>
    Effect.gen(function*() {
      const entered = yield* Deferred.make<void>()
      let runs = 0
      const send = Toolspan.once(storeOf())("send", () =>
        Effect.suspend(() => {
          runs++
          if (runs > 1) return Effect.succeed("sent")
          return Effect.andThen(Deferred.succeed(entered, undefined), Effect.never)
        }))
      const first = yield* Effect.forkChild(send(1, call("c1")))
      yield* Deferred.await(entered)
      const second = yield* Effect.forkChild(send(1, call("c1")))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      assert.strictEqual(yield* Fiber.join(second), "sent")
      assert.strictEqual(runs, 2)
    }))

  it.effect("keeps a result by the schema of its tool", () =>
    Effect.gen(function*() {
      const When = Tool.make("when", {
        parameters: Schema.Struct({ day: Schema.String }),
        success: Schema.Struct({ at: Schema.Date, count: Schema.BigInt })
      })
      const store = storeOf()
      let runs = 0
      const toolkit = Toolkit.make(When)
      const layer = toolkit.toLayer({
        when: Toolspan.once(store)(When, ({ day }) =>
          Effect.sync(() => {
            runs++
            return { at: new Date(day), count: 12n }
          }))
      })
      const results = yield* Effect.gen(function*() {
        const { handle } = yield* toolkit
        const once = Effect.flatMap(handle("when", { day: "2026-01-02" }, "c1"), Stream.runCollect)
        return [...yield* once, ...yield* once].map(({ result }) => result)
      }).pipe(Effect.provide(layer))
      const expected = { at: new Date("2026-01-02"), count: 12n }
      assert.deepStrictEqual(results, [expected, expected])
      assert.strictEqual(runs, 1)
    }))

  it.effect("keeps to Effect's KeyValueStore", () =>
    Effect.gen(function*() {
      const store = yield* KeyValueStore.KeyValueStore
      const { handler, runs } = counting()
      const send = Toolspan.once(store)("send", handler)
      assert.deepStrictEqual(yield* Effect.all([send(1, call("\ud800")), send(1, call("\ud800"))]), [1, 1])
      assert.lengthOf(runs, 1)
    }).pipe(Effect.provide(KeyValueStore.layerMemory)))

  it.effect("does not run when the store cannot be asked, or has something else", () =>
    Effect.gen(function*() {
      const store = storeOf()
      const { handler, runs } = counting()
      const send = Toolspan.once(store)("send", handler)(1, call("c1"))
      const refusal = Effect.map(Effect.exit(send), (exit) => {
        const error = defectOf(exit)
        return error instanceof Toolspan.OnceError ? error.reason : "none"
      })
      store.failing.get = true
      assert.strictEqual(yield* refusal, "store")
      store.failing.get = false
      store.failing.set = true
      assert.strictEqual(yield* refusal, "store")
      store.failing.set = false
      assert.lengthOf(runs, 0)
      assert.strictEqual(yield* send, 1)
      const [key = ""] = store.entries.keys()
      assert.strictEqual(key.startsWith("toolspan/once[null,\"send\",\"c1\","), true)
      for (const text of ["", "{", "{\"v\":2,\"state\":\"done\"}", "{\"v\":1,\"state\":\"other\"}"]) {
        store.entries.set(key, text)
        assert.strictEqual(yield* refusal, "unreadable")
      }
      store.entries.set(key, "{\"v\":1,\"state\":\"started\"}")
      assert.strictEqual(yield* refusal, "unfinished")
      assert.lengthOf(runs, 1)
    }))

  it.effect("gives a result that it cannot record, and never makes it again", () =>
    Effect.gen(function*() {
      const store = storeOf()
      let runs = 0
      const send = Toolspan.once(store)("send", () =>
        Effect.sync(() => {
          runs++
          store.failing.set = true
          return "sent"
        }))(1, call("c1"))
      assert.strictEqual(yield* send, "sent")
      store.failing.set = false
      const error = defectOf(yield* Effect.exit(send))
      assert.strictEqual(error instanceof Toolspan.OnceError && error.reason, "unfinished")
      assert.match(
        (error as Error).message,
        /^send did not run: a run of it began .*\. The key in the store is toolspan/
      )
      assert.strictEqual(runs, 1)
      const big = Toolspan.once(store)("big", () => Effect.succeed(1n))(1, call("c1"))
      assert.strictEqual(yield* big, 1n)
      assert.strictEqual((defectOf(yield* Effect.exit(big)) as Toolspan.OnceError).reason, "unfinished")
    }))

  it("runs both calls of one turn that share an id", async () => {
    const store = storeOf()
    const played = await run(
      (world) =>
        Effect.gen(function*() {
          const model = yield* world.model([asks("a1"), asks("a1"), finish()], done)
          const lookup = Toolspan.once(store)("lookup", () => Effect.succeed("v"))
          const toolkit = yield* world.toolkit({ lookup })
          yield* world.turn(model, { toolkit })
        }),
      "generateText",
      "all"
    )
    assert.isFalse(played.failed)
    assert.deepStrictEqual([played.stats.replays, store.entries.size], [0, 2])
    assert.isTrue([...store.entries.keys()].some((key) => key.includes("\"a1#2\"")))
  })
})
