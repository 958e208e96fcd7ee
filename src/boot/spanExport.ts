/** The span processor of `register`: batches ended spans, encodes them and hands them to the export thread. */
import type { tracing } from "@opentelemetry/sdk-node"
import * as ExportThread from "./exportThread.ts"
import { api, otlpTransformer } from "./openTelemetry.ts"
import { warn, warnNow } from "./warning.ts"

/** How spans are encoded and batched: spans a batch, spans in memory at most, milliseconds until a part-filled batch leaves. */
export interface SpanExportOptions {
  readonly protocol: "http/protobuf" | "http/json"
  readonly batchSize: number
  readonly queueSize: number
  readonly delayMillis: number
  readonly timeoutMillis: number
}

/** The span processor, and what a process that leaves needs of it. */
export interface SpanExport extends tracing.SpanProcessor {
  /** Blocks until all spans are delivered or given up, for `millis` at most: what an `exit` handler can do. */
  readonly flushNow: (millis: number) => void
}

/**
 * Makes the span processor.
 *
 * More spans than `queueSize` that are neither delivered nor given up are dropped, counted and told once.
 */
export const make = (options: SpanExportOptions): SpanExport => {
  const { JsonTraceSerializer, ProtobufTraceSerializer } = otlpTransformer
  const serializer = options.protocol === "http/json" ? JsonTraceSerializer : ProtobufTraceSerializer
  const contentType = options.protocol === "http/json" ? "application/json" : "application/x-protobuf"
  let ended: Array<tracing.ReadableSpan> = []
  let timer: NodeJS.Timeout | undefined
  let soon: NodeJS.Immediate | undefined
  let thread: ExportThread.ExportThread | undefined
  let unusable = false
  let dropped = 0
  let closed = false

  const start = (): ExportThread.ExportThread | undefined => {
    if (thread !== undefined || unusable) return thread
    try {
      thread = ExportThread.make(contentType)
    } catch (error) {
      unusable = true
      warn(
        `the export thread cannot be started, no span is sent: ${
          error instanceof Error ? error.message : String(error)
        }`
      )
    }
    return thread
  }

  const handOver = (): void => {
    clearTimeout(timer)
    clearImmediate(soon)
    timer = soon = undefined
    const spans = ended
    ended = []
    const target = start()
    if (target === undefined) return
    for (let from = 0; from < spans.length; from += options.batchSize) {
      const batch = spans.slice(from, from + options.batchSize)
      const body = serializer.serializeRequest(batch)
      if (body !== undefined) target.send(body, batch.length)
    }
  }

  const drop = (): void => {
    if (dropped++ === 0) {
      warn(
        `more than ${options.queueSize} spans wait for the endpoint, further ones are dropped. ` +
          "OTEL_BSP_MAX_QUEUE_SIZE makes room for more."
      )
    }
  }

  return {
    onStart: () => {},
    onEnd: (span) => {
      if (closed || (span.spanContext().traceFlags & api.TraceFlags.SAMPLED) === 0) return
      const waiting = thread === undefined ? 0 : thread.outstanding()
      if (ended.length + waiting >= options.queueSize) {
        if (ended.length === 0 || waiting >= options.queueSize) return drop()
        handOver()
      }
      ended.push(span)
      if (ended.length >= options.batchSize) {
        // Encoding 512 spans takes milliseconds: not inside the app's own span end.
        soon ??= setImmediate(handOver).unref()
      } else {
        timer ??= setTimeout(handOver, options.delayMillis).unref()
      }
    },
    forceFlush: async () => {
      const pending = ended.find((span) => span.resource.asyncAttributesPending === true)
      if (pending !== undefined) await pending.resource.waitForAsyncAttributes?.()
      if (ended.length > 0) handOver()
      await thread?.settled(options.timeoutMillis)
    },
    shutdown: async () => {
      if (closed) return
      closed = true
      if (ended.length > 0) handOver()
      await thread?.settled(options.timeoutMillis)
    },
    flushNow: (millis) => {
      if (ended.length > 0) handOver()
      thread?.settleNow(millis)
      if (dropped > 0) warnNow(`${dropped} spans were dropped in all, because the endpoint did not keep up.`)
    }
  }
}
