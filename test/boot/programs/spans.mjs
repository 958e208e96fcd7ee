// Ends `count` spans through Effect's default tracer, says what it did, and then leaves in the way it is told.
import * as Effect from "effect/Effect"
const [count = "1", ending = "end"] = process.argv.slice(2)
await Effect.runPromise(
  Effect.forEach(
    Array.from({ length: Number(count) }),
    (_, index) => Effect.void.pipe(Effect.withSpan(`span ${index}`)),
    { discard: true }
  )
)
process.stdout.write("done\n")
if (ending === "exit") process.exit(7)
if (ending === "throw") throw new Error("planted")
if (ending === "wait") setInterval(() => {}, 1000)
