/** The app's side of the export thread: hands batches over and, when the app leaves, blocks until they are sent. */
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"
import { Counter, type ExportCommand, type ExportReport, type ExportWorkerData } from "./exportMessage.ts"
import { warn, warnNow } from "./warning.ts"

/** A thread that sends encoded OTLP requests; every count is in spans. */
export interface ExportThread {
  /** Takes one encoded request over. */
  readonly send: (body: Uint8Array, spans: number) => void
  /** How many spans were handed over and are neither delivered nor given up. */
  readonly outstanding: () => number
  /** Resolves when everything handed over is delivered or given up, or after `millis`. */
  readonly settled: (millis: number) => Promise<void>
  /** Blocks until everything handed over is delivered or given up, or for `millis`. */
  readonly settleNow: (millis: number) => void
}

/** From its folder's parent: the build puts this module into a file of the folder `chunk`. */
const location = (): URL =>
  new URL(`../boot/exportWorker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

/** Starts the thread; it never keeps the process alive and inherits neither `--import` nor NODE_OPTIONS. */
export const make = (contentType: string): ExportThread => {
  const counters = new Int32Array(new SharedArrayBuffer(Counter.length * Int32Array.BYTES_PER_ELEMENT))
  const { port1: port, port2 } = new MessageChannel()
  const worker = new Worker(location(), {
    workerData: { contentType, counters, port: port2 } satisfies ExportWorkerData,
    transferList: [port2],
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: "" },
    name: "toolspan export"
  })
  let handedOver = 0
  let dead = false
  let waiters: Array<() => void> = []
  let told = false

  const tell = (say: (text: string) => void, text: string): void => {
    if (told) return
    told = true
    say(text)
  }
  const take = (report: ExportReport, say: (text: string) => void): void => {
    if (report.type === "failure") {
      tell(
        say,
        `spans could not be delivered to ${report.url} (${report.reason}); the app runs on without them. ` +
          "Is a collector or `toolspan dev` listening there?"
      )
      return
    }
    const settled = waiters
    waiters = []
    for (const waiter of settled) waiter()
  }
  const outstanding = (): number =>
    dead ? 0 : handedOver - Atomics.load(counters, Counter.delivered) - Atomics.load(counters, Counter.failed)
  const command = (message: ExportCommand): void => port.postMessage(message)

  port.on("message", (report: ExportReport) => take(report, warn))
  worker.on("error", (error) => tell(warn, `the export thread ended, spans are lost from here on: ${error.message}`))
  worker.on("exit", () => {
    dead = true
    take({ type: "settled" }, warn)
  })
  port.unref()
  worker.unref()

  return {
    send: (body, spans) => {
      if (dead) return
      handedOver += spans
      // A buffer of its own, because a transfer empties it and a serializer may hand out a view of a shared one.
      const own = body.byteLength === body.buffer.byteLength ? body : body.slice()
      port.postMessage({ type: "batch", spans, body: own } satisfies ExportCommand, [own.buffer as ArrayBuffer])
    },
    outstanding,
    settled: (millis) =>
      new Promise((resolve) => {
        if (outstanding() === 0) return resolve()
        // The timer also keeps the event loop alive while the thread, which does not, is at work.
        const timer = setTimeout(resolve, millis)
        waiters.push(() => {
          clearTimeout(timer)
          resolve()
        })
        command({ type: "report" })
      }),
    settleNow: (millis) => {
      const deadline = performance.now() + millis
      if (outstanding() > 0) command({ type: "leaving" })
      for (;;) {
        const done = Atomics.load(counters, Counter.done)
        const left = deadline - performance.now()
        if (outstanding() <= 0 || left <= 0) break
        Atomics.wait(counters, Counter.done, done, left)
      }
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        take(next.message as ExportReport, warnNow)
      }
      if (outstanding() > 0) {
        tell(warnNow, `the app left before ${outstanding()} spans were confirmed by the endpoint; some may be lost.`)
      }
    }
  }
}
