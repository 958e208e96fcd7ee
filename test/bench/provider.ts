// OpenTelemetry as an app has it, and as Effect's tracer.
import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { AlwaysOffSampler, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { Context, Effect, Layer, Tracer } from "effect"

class Nowhere implements SpanExporter {
  export(_: Array<ReadableSpan>, done: (result: { code: 0 }) => void): void {
    done({ code: 0 })
  }
  shutdown(): Promise<void> {
    return Promise.resolve()
  }
}

/** A provider whose spans are batched and sent nowhere, or that samples none. */
export const providerOf = (sampled: boolean): NodeTracerProvider =>
  new NodeTracerProvider({
    ...(sampled ? {} : { sampler: new AlwaysOffSampler() }),
    spanProcessors: [new BatchSpanProcessor(new Nowhere(), { maxQueueSize: 65_536 })]
  })

/** A provider whose spans go to one processor. */
export const providerTo = (processor: SpanProcessor): NodeTracerProvider =>
  new NodeTracerProvider({ spanProcessors: [processor] })

/** What a program needs so that its spans are the provider's. */
export const tracerContext = (provider: NodeTracerProvider): Context.Context<never> =>
  Effect.runSync(
    Effect.scoped(
      Layer.build(OtelTracer.layerWithoutOtelTracer.pipe(
        Layer.provide(Layer.succeed(OtelTracer.OtelTracer, provider.getTracer("bench")))
      ))
    )
  )

/** The tracer that `register` gives a program which brings none: the same spans, but effects know no OpenTelemetry context. */
export const defaultTracerContext = (provider: NodeTracerProvider): Context.Context<never> => {
  const context = tracerContext(provider)
  const tracer = Context.get(context, Tracer.Tracer)
  return Context.add(context, Tracer.Tracer, Tracer.make({ span: (options) => tracer.span(options) }))
}
