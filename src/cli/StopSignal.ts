/** The wish of the user, or of the system, that the program ends. */
import process from "node:process"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

const signals = ["SIGINT", "SIGTERM"] as const

/**
 * Listens for a signal to stop from now on, and gives the effect that waits for the first one. Whoever says "Ctrl+C stops
 * it" must listen before. A second signal finds no listener and ends the process at once.
 */
export const listen: Effect.Effect<Effect.Effect<void>, never, Scope.Scope> = Effect.gen(function*() {
  const stopped = yield* Deferred.make<void>()
  const forget = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  const stop = () => {
    forget()
    Deferred.doneUnsafe(stopped, Effect.void)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      for (const signal of signals) process.on(signal, stop)
    }),
    () => Effect.sync(forget)
  )
  return Deferred.await(stopped)
})
