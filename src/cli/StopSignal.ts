/** The wish of the user, or of the system, that the program ends. */
import process from "node:process"
import * as Effect from "effect/Effect"

const signals = ["SIGINT", "SIGTERM"] as const

/** Ends with the first signal to stop. A second one finds no listener and ends the process at once. */
export const stopSignal: Effect.Effect<void> = Effect.callback((resume) => {
  const forget = () => {
    for (const signal of signals) process.off(signal, stop)
  }
  const stop = () => {
    forget()
    resume(Effect.void)
  }
  for (const signal of signals) process.on(signal, stop)
  return Effect.sync(forget)
})
