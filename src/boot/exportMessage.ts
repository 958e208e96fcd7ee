/** What the app's thread and the export thread say to each other. */
import type { MessagePort } from "node:worker_threads"

/** What the export thread starts with: the encoding of the batches, the shared counters and the way back. */
export interface ExportWorkerData {
  readonly contentType: string
  readonly counters: Int32Array
  readonly port: MessagePort
}

/** To the export thread: an encoded OTLP request and how many spans it has, a question when all is sent, or the news that the app leaves. */
export type ExportCommand =
  | { readonly type: "batch"; readonly spans: number; readonly body: Uint8Array }
  | { readonly type: "report" }
  | { readonly type: "leaving" }

/** From the export thread: the answer to `report`, or why and where spans were not delivered. */
export type ExportReport =
  | { readonly type: "settled" }
  | { readonly type: "failure"; readonly reason: string; readonly url: string }

/** The shared counters (Int32): spans delivered, spans given up, and the batches done with, on which to wait. */
export const Counter = { delivered: 0, failed: 1, done: 2, length: 3 } as const
