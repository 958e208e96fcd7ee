/**
 * The export thread: sends encoded batches to the OTLP/HTTP endpoint of the standard variables.
 *
 * It lives outside the app's thread because an `exit` handler cannot wait for the network: it can only block,
 * and what it waits for must go on elsewhere.
 */
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http"
import { connect } from "node:net"
import { workerData } from "node:worker_threads"
import { Counter, type ExportCommand, type ExportReport, type ExportWorkerData } from "./exportMessage.ts"

/** Batches on their way at once: at 100 ms a round trip and 512 spans a batch this carries 20,000 spans a second. */
const CONCURRENCY = 4

const { contentType, counters, port } = workerData as ExportWorkerData

const configuration = convertLegacyHttpOptions({}, "TRACES", "v1/traces", { "Content-Type": contentType })

const delegate = createOtlpHttpExportDelegate<Uint8Array, unknown>(
  configuration,
  { serializeRequest: (body) => body, deserializeResponse: () => ({}) },
  "otlp_http_span_exporter",
  { name: "span", countItems: () => 1 },
  undefined
)

interface Batch {
  readonly spans: number
  readonly body: Uint8Array
}

const waiting: Array<Batch> = []
const sending = new Set<Batch>()
let unreachable: string | undefined
let reportWanted = false

const report = (message: ExportReport): void => port.postMessage(message)

const finish = (batch: Batch, failure: string | undefined): void => {
  // The reason goes first: who waits for the counters looks for it next.
  if (failure !== undefined) report({ type: "failure", reason: failure, url: configuration.url })
  Atomics.add(counters, failure === undefined ? Counter.delivered : Counter.failed, batch.spans)
  Atomics.add(counters, Counter.done, 1)
  Atomics.notify(counters, Counter.done)
}

const reportWhenSettled = (): void => {
  if (!reportWanted || sending.size > 0 || waiting.length > 0) return
  reportWanted = false
  report({ type: "settled" })
}

const next = (): void => {
  while (sending.size < CONCURRENCY) {
    const batch = waiting.shift()
    if (batch === undefined) break
    if (unreachable !== undefined) {
      finish(batch, unreachable)
      continue
    }
    sending.add(batch)
    delegate.export(batch.body, (result) => {
      if (!sending.delete(batch)) return
      finish(batch, result.code === 0 ? undefined : result.error?.message || result.error?.name || "no reason given")
      next()
    })
  }
  reportWhenSettled()
}

const giveUp = (reason: string): void => {
  unreachable = reason
  for (const batch of [...sending, ...waiting.splice(0)]) finish(batch, reason)
  sending.clear()
  reportWhenSettled()
}

/** Retrying for seconds is right while the app runs; an app that leaves must not wait for a port where nobody listens. */
const probe = (): void => {
  if (process.env.NODE_USE_ENV_PROXY !== undefined) return
  const url = new URL(configuration.url)
  const socket = connect({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (url.protocol === "https:" ? 443 : 80)
  })
  socket.once("connect", () => socket.destroy())
  socket.once("error", (error: NodeJS.ErrnoException) => giveUp(error.code ?? error.message))
}

port.on("message", (command: ExportCommand) => {
  switch (command.type) {
    case "batch":
      waiting.push(command)
      return next()
    case "report":
      reportWanted = true
      return reportWhenSettled()
    case "leaving":
      return probe()
  }
})
