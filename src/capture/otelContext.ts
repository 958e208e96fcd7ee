/** Keeps the OpenTelemetry context of a turn's own code without making it anew for every step of the runtime. */
import type * as Tracer from "effect/Tracer"

type ContextFunction = NonNullable<Tracer.Tracer["context"]>

const evaluate = "~effect/Effect/evaluate"

/** Where the OpenTelemetry API keeps its parts for all copies of itself, in every version 1. */
const api = Symbol.for("opentelemetry.js.api.1")

interface ContextManager {
  readonly active: () => unknown
  readonly with: <A>(context: unknown, run: () => A) => A
}

const manager = (): ContextManager | undefined => (globalThis as any)[api]?.context

const recognised = new WeakMap<ContextFunction, boolean>()

/**
 * Whether this is the bridge of `@effect/opentelemetry`, whose context depends on the span and on the active context alone.
 * Told by what its source calls: any other tracer, and a bridge in a minified bundle, keeps its own way.
 */
const isBridge = (context: ContextFunction): boolean => {
  let known = recognised.get(context)
  if (known === undefined) {
    known = /\bpopulateContext\(\s*Otel\.context\.active\(\)/.test(Function.prototype.toString.call(context))
    recognised.set(context, known)
  }
  return known
}

const currentSpan = (fiber: any): unknown => fiber.cache === undefined ? fiber.currentSpan : fiber.cache.span

/**
 * The same `context` of a tracer, for the code of one turn.
 *
 * The bridge makes two contexts for each primitive that is evaluated, about 0.4 µs; the same span under the same active
 * context gives the same one, so it is made once and kept. Where no context manager is registered there is no active
 * context that anybody could see.
 */
export const kept = (context: ContextFunction | undefined): ContextFunction | undefined => {
  if (context === undefined || !isBridge(context)) return context
  let span: unknown
  let outer: unknown
  let inner: unknown
  return (primitive, fiber) => {
    const contexts = manager()
    if (contexts === undefined) return primitive[evaluate](fiber)
    const active = contexts.active()
    const current = currentSpan(fiber)
    if (inner === undefined || current !== span || active !== outer) {
      inner = context({ [evaluate]: () => contexts.active() } as Tracer.EffectPrimitive<unknown>, fiber)
      span = current
      outer = active
    }
    return inner === active
      ? primitive[evaluate](fiber)
      : contexts.with(inner, () => primitive[evaluate](fiber))
  }
}

/** The same tracer with its context kept, for the code of one handler; any other tracer as it is. */
export const tracer = (original: Tracer.Tracer): Tracer.Tracer => {
  const context = kept(original.context)
  return context === original.context ? original : Object.create(original, { context: { value: context } })
}
