// What one collector with the configuration of collector/ carries on this machine, and when its memory limiter refuses.
// Sender, collector and trace store share the machine's processors.
import process from "node:process"
import { carry, refuse } from "../backends/collectorLoad.ts"

/** Measures; `TOOLSPAN_BENCH_SECONDS` changes the thirty of the load. */
export const main = async (json: boolean): Promise<void> => {
  const carried = await carry(Number(process.env["TOOLSPAN_BENCH_SECONDS"] ?? 30))
  const refusing = await refuse()
  const lines = [
    `${carried.exportedPerSecond} spans/s exported over ${carried.seconds} s (${carried.exportedPerProcessorSecond} per ` +
    `second of the collector's processor time), ${carried.connections} connections, ${carried.bytesASpan} bytes a span`,
    `${carried.queued} queued, ${carried.memoryMegabytes} MB, ${carried.refusedRequests} requests refused; ` +
    `${carried.processors} processors shared with sender and store, load before ${carried.loadBefore.toFixed(1)}`,
    `memory limiter of ${refusing.limitMegabytes} MiB answers ${refusing.status} with ${refusing.waitingRequests} ` +
    `requests (${refusing.waitingMegabytes} MB) waiting for a full queue, at ${refusing.memoryMegabytes} MB`
  ]
  process.stdout.write(json ? `${JSON.stringify({ carried, refusing })}\n` : `${lines.join("\n")}\n`)
}
