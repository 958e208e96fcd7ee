// A worker thread that makes 500 calls and says so, and a main thread that ends it then: by `terminate`, or by leaving
// itself (`exit`). With `flush` the worker sends its spans before it says so; with `throw` it dies by an error of its own.
import { once } from "node:events"
import { isMainThread, parentPort, Worker } from "node:worker_threads"

const [ending, flushed] = process.argv.slice(2)

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
  if (ending === "throw") {
    const [error] = await once(worker, "error")
    process.stdout.write(`the worker died: ${error.message}\n`)
  } else {
    await once(worker, "message")
    if (ending === "exit") process.exit(7)
    await worker.terminate()
    process.stdout.write("terminated\n")
  }
} else {
  process.argv.splice(2, 2, "500", "end")
  await import("./calls.mjs")
  if (flushed === "flush") {
    const Effect = await import("effect/Effect")
    const Toolspan = await import("toolspan")
    await Effect.runPromise(Toolspan.flush)
  }
  if (ending === "throw") throw new Error("planted")
  parentPort.postMessage("done")
  setInterval(() => {}, 1000)
}
