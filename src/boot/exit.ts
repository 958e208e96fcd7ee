/** The moments in which a process leaves, and how to do something in them without changing how it leaves. */

/** Signals that end a Node process by default and that people and orchestrators send to ask it to leave. */
const SIGNALS = ["SIGTERM", "SIGINT"] as const

/**
 * Calls `leave` once when this process ends by itself, by `process.exit`, by an uncaught error, SIGTERM or SIGINT.
 *
 * Exit codes stay as they are. `leave` has to be synchronous. Listeners of the app decide over a signal alone:
 * ours stands only while there is no other, and a process that nobody else wants to keep still dies by that signal.
 */
export const onLeave = (leave: () => void): void => {
  let left = false
  const once = (): void => {
    if (left) return
    left = true
    leave()
  }
  process.on("exit", () => {
    left = false
    once()
  })
  // Deno emits no `exit` when an error ends it, only this. An app that has a listener of its own goes on.
  if ("Deno" in globalThis) {
    process.on("uncaughtExceptionMonitor", () => {
      if (process.listenerCount("uncaughtException") === 0) leave()
    })
  }

  for (const signal of SIGNALS) {
    const ours = (): void => {
      once()
      process.removeListener("removeListener", restored)
      process.removeListener(signal, ours)
      process.kill(process.pid, signal)
    }
    // Libraries count the listeners of a signal to learn whether they are the last to act on it: ours must not be seen.
    // Only once the other one stands: Node stops to watch a signal whose last listener goes, before it adds the new one.
    const added = (event: string | symbol, listener: unknown): void => {
      if (event !== signal || listener === ours) return
      queueMicrotask(() => {
        if (process.listenerCount(signal) > 1) process.removeListener(signal, ours)
      })
    }
    const restored = (event: string | symbol, listener: unknown): void => {
      if (event !== signal || listener === ours || process.listenerCount(signal) > 0) return
      process.on(signal, ours)
    }
    process.on("newListener", added)
    process.on("removeListener", restored)
    if (process.listenerCount(signal) === 0) process.on(signal, ours)
  }
}
