/** The OpenTelemetry pipeline of a run: Effect's own bridge, the SDK's simple processor, and an exporter that remembers. */
import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import { context, type SpanContext } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import {
  BasicTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type Span,
  type SpanExporter,
  type SpanProcessor
} from "@opentelemetry/sdk-trace-base"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import * as Host from "../../src/semconv/host.ts"
import type { SpanRecord, Trail } from "./trail.ts"
import type { Asked } from "./words.ts"

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())

const identity = (span: SpanContext) => ({ traceId: span.traceId, spanId: span.spanId })

const record = (span: ReadableSpan): SpanRecord => ({
  ...identity(span.spanContext()),
  parentSpanId: span.parentSpanContext?.spanId,
  name: span.name,
  start: span.startTime,
  end: span.endTime,
  attributes: { ...span.attributes },
  status: { error: span.status.code === 2, message: span.status.message },
  events: span.events.map((event) => ({ name: event.name, time: event.time, attributes: { ...event.attributes } })),
  links: span.links.map((link) => ({ ...identity(link.context), attributes: { ...link.attributes } }))
})

// The bridge of effect 4.0.0-rc.112 writes a list as one JSON text, later ones as a list: here it is always a list.
const withLists = (written: (key: string, write: () => void) => void) => (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = tracer.span(options) as Tracer.Span & { readonly span: Span; attribute: Tracer.Span["attribute"] }
      const attribute = span.attribute.bind(span)
      span.attribute = (key, value) => {
        written(key, () => {
          attribute(key, value)
          if (Array.isArray(value) && span.status._tag === "Started") span.span.setAttribute(key, value)
        })
      }
      return span
    },
    ...(tracer.context === undefined ? undefined : { context: tracer.context.bind(tracer) })
  })

/** A pipeline, and what went through it. */
export interface Telemetry {
  readonly layer: Layer.Layer<never>
  readonly trail: Trail
  /** How often the app's values were looked into for the attributes of a call that the host writes. */
  readonly askedByHost: () => number
  /** Waits until all spans have ended, half a second at most. */
  readonly settle: () => Promise<void>
}

export const makeTelemetry = (asked: Asked): Telemetry => {
  let askedByHost = 0
  // Toolspan drops these attributes, so with it nobody looks.
  const written = (key: string, write: () => void): void => {
    const before = asked.count
    write()
    if (Host.toolAttributes.includes(key)) askedByHost += asked.count - before
  }
  const trail: Trail = { spans: [], started: new Map(), ended: new Map(), exported: new Map(), logs: [] }
  const count = (map: Map<string, number>, span: { spanContext: () => SpanContext }) => {
    const { spanId } = span.spanContext()
    map.set(spanId, (map.get(spanId) ?? 0) + 1)
  }
  const counting: SpanProcessor = {
    onStart: (span) => {
      count(trail.started, span)
      const end = span.end.bind(span)
      span.end = (time) => {
        count(trail.ended, span)
        end(time)
      }
    },
    onEnd: () => {},
    forceFlush: async () => {},
    shutdown: async () => {}
  }
  const exporter: SpanExporter = {
    export: (spans, done) => {
      for (const span of spans) {
        count(trail.exported, span)
        trail.spans.push(record(span))
      }
      done({ code: 0 })
    },
    shutdown: async () => {}
  }
  const provider = new BasicTracerProvider({ spanProcessors: [counting, new SimpleSpanProcessor(exporter)] })
  const tracer = Layer.effect(Tracer.Tracer, Effect.map(OtelTracer.make, withLists(written))).pipe(
    Layer.provide(Layer.succeed(OtelTracer.OtelTracer, provider.getTracer("cases")))
  )
  const collect = Logger.make((options) => {
    trail.logs.push(`${[options.message].flat().map(String).join(" ")} ${Cause.pretty(options.cause)}`)
  })
  return {
    layer: Layer.merge(tracer, Logger.layer([collect, Logger.tracerLogger])),
    trail,
    askedByHost: () => askedByHost,
    settle: async () => {
      for (let waited = 0; waited < 500 && trail.ended.size < trail.started.size; waited += 5) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      await provider.forceFlush()
    }
  }
}
