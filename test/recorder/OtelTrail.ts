/** A real OpenTelemetry SDK with a context manager, and what it exported as the checks of the case runner take it. */
import * as api from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor
} from "@opentelemetry/sdk-trace-base"
import type { SpanRecord, Trail, Values } from "../cases/trail.ts"

const recordOf = (span: ReadableSpan): SpanRecord => ({
  traceId: span.spanContext().traceId,
  spanId: span.spanContext().spanId,
  parentSpanId: span.parentSpanContext?.spanId,
  name: span.name,
  start: span.startTime,
  end: span.endTime,
  attributes: span.attributes as Values,
  status: { error: span.status.code === api.SpanStatusCode.ERROR, message: span.status.message },
  events: span.events.map((event) => ({
    name: event.name,
    time: event.time,
    attributes: (event.attributes ?? {}) as Values
  })),
  links: span.links.map((link) => ({
    traceId: link.context.traceId,
    spanId: link.context.spanId,
    attributes: (link.attributes ?? {}) as Values
  }))
})

/** An SDK of its own; the context manager is the process's. */
export const make = (options: { readonly sampled?: boolean } = {}) => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    ...(options.sampled === false ? { sampler: new AlwaysOffSampler() } : undefined)
  })
  api.context.disable()
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const spans = (): ReadonlyArray<ReadableSpan> => exporter.getFinishedSpans()
  return {
    tracer: provider.getTracer("test"),
    spans,
    trail: (): Trail => {
      const records = spans().map(recordOf)
      const once = new Map(records.map((record) => [record.spanId, 1]))
      return { spans: records, started: once, ended: once, exported: once, logs: [] }
    }
  }
}
