/** Spans for programs that provide no tracer: the tracer that Effect falls back to is made to write OpenTelemetry spans. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { ownVersion } from "./effectCopy.ts"
import { api } from "./openTelemetry.ts"

const Installed = Symbol.for("toolspan/tracerDefault")

/** The module of `@effect/opentelemetry` that bridges tracers: `OtelTracer` from 4.1, `Tracer` before. */
export interface OtelTracerModule {
  readonly OtelTracer: Context.Key<unknown, unknown>
  readonly make: Effect.Effect<Tracer.Tracer, never, unknown>
}

/**
 * Replaces `span` of Effect's default tracer in place.
 *
 * A program that provides a tracer of its own never reaches it. The OpenTelemetry provider is looked up for each
 * span, so one that is registered later gets the spans from then on.
 */
export const install = (otel: OtelTracerModule): void => {
  const native = Context.get(Context.empty(), Tracer.Tracer) as Tracer.Tracer & { [Installed]?: true }
  if (native[Installed]) return
  const name = "effect"
  const version = ownVersion()
  const bridge = Effect.runSync(
    otel.make.pipe(
      Effect.provideService(otel.OtelTracer, {
        startSpan: (...args: Parameters<ReturnType<typeof api.trace.getTracer>["startSpan"]>) =>
          api.trace.getTracer(name, version).startSpan(...args)
      })
    ) as Effect.Effect<Tracer.Tracer>
  )
  Object.defineProperty(native, "span", { value: bridge.span, configurable: true, writable: true, enumerable: true })
  Object.defineProperty(native, Installed, { value: true })
}
