// An app with its own handling of SIGTERM, in the manner named by the first argument; it writes one span before.
import * as Effect from "effect/Effect"
const manner = process.argv[2]
await Effect.runPromise(Effect.void.pipe(Effect.withSpan("before")))
if (manner === "code") process.on("SIGTERM", () => process.exit(9))
if (manner === "ignore") process.on("SIGTERM", () => process.stdout.write("ignored\n"))
if (manner === "last-listener") {
  // What libraries for exit hooks do: kill the process again only when nobody else listens.
  const listener = () => {
    if (process.listenerCount("SIGTERM") !== 1) return
    process.removeListener("SIGTERM", listener)
    process.kill(process.pid, "SIGTERM")
  }
  process.on("SIGTERM", listener)
}
process.on("SIGUSR2", () => process.exit(3))
process.stdout.write("done\n")
setInterval(() => {}, 1000)
