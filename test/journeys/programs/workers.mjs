// Runs the program of its first argument in a worker thread, with the rest as its arguments, and waits for it.
import { once } from "node:events"
import { Worker } from "node:worker_threads"

const [program, ...argv] = process.argv.slice(2)
const worker = new Worker(new URL(program, import.meta.url), { argv })
const [code] = await once(worker, "exit")
process.stdout.write(`the worker left with ${code}\n`)
