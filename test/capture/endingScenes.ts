/** Turns that do not come to their end. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { Scene } from "./scene.ts"
import { invalidRequest, lookup, note, streamOnly } from "./scene.ts"
import type { Play } from "./World.ts"
import { canary, finish } from "./World.ts"

/** Runs a turn whose handler waits for ever, and ends it in some way once the handler runs. */
const stuck = (
  end: (turn: Effect.Effect<unknown, unknown>, started: Effect.Effect<void>) => Effect.Effect<unknown, unknown>
): Play =>
(world) =>
  Effect.gen(function*() {
    const started = yield* Deferred.make<void>()
    const model = yield* world.model([lookup("a1"), note("b1"), finish()])
    const toolkit = yield* world.toolkit({
      // The other call is done by then, in every mode.
      lookup: () =>
        Effect.yieldNow.pipe(
          Effect.repeat({ times: 30 }),
          Effect.andThen(Deferred.succeed(started, undefined)),
          Effect.andThen(Effect.never)
        )
    })
    return yield* end(world.turn(model, { toolkit }), Deferred.await(started))
  })

/** Interrupts, consumers that leave, providers that die. */
export const endingScenes: ReadonlyArray<Scene> = [
  {
    name: "interrupted by a timeout",
    differs: true,
    play: stuck((turn, started) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(Effect.timeout(turn, "1 second"))
        yield* started
        yield* TestClock.adjust("1 second")
        return yield* Fiber.join(fiber)
      })
    )
  },
  { name: "interrupted by a race", differs: true, play: stuck((turn, started) => Effect.raceFirst(turn, started)) },
  {
    name: "interrupted by the close of a scope",
    differs: true,
    play: stuck((turn, started) =>
      Effect.acquireUseRelease(
        Scope.make(),
        (scope) =>
          Effect.gen(function*() {
            const fiber = yield* Effect.forkIn(turn, scope)
            yield* started
            yield* Scope.close(scope, Exit.void)
            return Exit.isFailure(yield* Effect.exit(Fiber.join(fiber)))
          }),
        (scope) => Scope.close(scope, Exit.void)
      )
    )
  },
  ...[1, 4, 5, 6].map((take): Scene => ({
    name: `a consumer that leaves after ${take} parts`,
    modes: streamOnly,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([{ type: "text", text: "hm" }, lookup("a1"), note("b1"), finish()])
        const toolkit = yield* world.toolkit({ lookup: () => Effect.never })
        return yield* world.turn(model, { toolkit, take })
      })
  })),
  {
    name: "a provider that fails before it answers",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({ fails: invalidRequest })
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "a provider that dies before it answers",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({ dies: new Error(canary) })
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "a stream that dies in the middle of a call",
    modes: streamOnly,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({
          fails: invalidRequest,
          after: [
            lookup("a1"),
            { type: "tool-params-start", id: "b1", name: "add_note" },
            { type: "tool-params-delta", id: "b1", delta: `{"text":"${canary}` }
          ]
        })
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "a stream that dies after a result came out",
    modes: streamOnly,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({
          fails: invalidRequest,
          after: [lookup("a1"), ...Array.from({ length: 20 }, () => ({ type: "text", text: "…" }))]
        })
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  }
]
