/** What a recorder uses of `@opentelemetry/api`, by its shape: nothing of it is imported. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** Seconds and nanoseconds since the epoch. */
type Time = [number, number]

/** The ids of a span, as the OpenTelemetry API has them. */
export interface OtelSpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

/** A span of the OpenTelemetry API. */
export interface OtelSpan {
  spanContext(): OtelSpanContext
  setAttribute(key: string, value: unknown): unknown
  addEvent(name: string, attributes?: unknown, time?: Time): unknown
  addLinks(links: unknown): unknown
  setStatus(status: unknown): unknown
  end(time?: Time): void
}

/** A tracer of the OpenTelemetry API: `trace.getTracer("my-agent-loop")`. */
export interface OtelTracer {
  startSpan(name: string, options?: unknown, context?: unknown): OtelSpan
}

/** The parts of `@opentelemetry/api` that put a span into context: `import * as api from "@opentelemetry/api"` is one. */
export interface OtelApi {
  readonly trace: {
    getSpan(context: unknown): OtelSpan | undefined
    setSpan(context: unknown, span: unknown): unknown
    wrapSpanContext(context: OtelSpanContext): OtelSpan
  }
  readonly context: {
    active(): unknown
    with<A>(context: unknown, run: () => A): A
  }
}

const timeOf = (nanos: bigint): Time => [Number(nanos / 1_000_000_000n), Number(nanos % 1_000_000_000n)]

// SpanKind and SpanStatusCode of the API are enums whose numbers are part of it.
const kinds: Readonly<Record<Tracer.SpanKind, number>> = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 }
const errorStatus = { code: 2 }

const contextOf = (span: Tracer.AnySpan): OtelSpanContext =>
  span instanceof RecordedSpan
    ? span.otel.spanContext()
    : { traceId: span.traceId, spanId: span.spanId, traceFlags: span.sampled ? 1 : 0 }

const linkOf = (link: Tracer.SpanLink): { context: OtelSpanContext; attributes: object } => ({
  context: contextOf(link.span),
  attributes: link.attributes
})

/** A span of the API as Effect's spans are. */
class RecordedSpan implements Tracer.Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations = Context.empty()
  readonly attributes = new Map<string, unknown>()
  readonly links: Array<Tracer.SpanLink> = []
  readonly kind: Tracer.SpanKind
  readonly otel: OtelSpan
  status: Tracer.SpanStatus
  readonly #failed: () => void

  constructor(
    otel: OtelSpan,
    failed: () => void,
    options: Pick<Tracer.Span, "name" | "parent" | "kind"> & { readonly startTime: bigint }
  ) {
    const { spanId, traceFlags, traceId } = otel.spanContext()
    this.otel = otel
    this.#failed = failed
    this.name = options.name
    this.traceId = traceId
    this.spanId = spanId
    this.sampled = (traceFlags & 1) === 1
    this.parent = options.parent
    this.kind = options.kind
    this.status = { _tag: "Started", startTime: options.startTime }
  }

  get _tag(): "Span" {
    return "Span"
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    const { startTime } = this.status
    this.status = { _tag: "Ended", startTime, endTime, exit }
    if (exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause)) {
      this.#write((otel) => otel.setStatus(errorStatus))
    }
    this.#write((otel) => otel.end(timeOf(endTime)))
  }

  attribute(key: string, value: unknown): void {
    this.#write((otel) => otel.setAttribute(key, value))
  }

  event(name: string, startTime: bigint, attributes?: Record<string, unknown>): void {
    this.#write((otel) => otel.addEvent(name, attributes, timeOf(startTime)))
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.#write((otel) => otel.addLinks(links.map(linkOf)))
  }

  /** One write that fails costs no other: a span that is begun is ended. */
  #write(write: (otel: OtelSpan) => unknown): void {
    try {
      write(this.otel)
    } catch {
      this.#failed()
    }
  }
}

const otelOf = (api: OtelApi, span: Tracer.AnySpan): OtelSpan =>
  span instanceof RecordedSpan ? span.otel : api.trace.wrapSpanContext(contextOf(span))

/** Effect's tracer over one of the API; `failed` hears of each write that its spans refuse by throwing. */
export const tracer = (otel: OtelTracer, api: OtelApi, failed: () => void): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      const active = api.context.active()
      const span = otel.startSpan(options.name, {
        kind: kinds[options.kind],
        startTime: timeOf(options.startTime),
        links: options.links.map(linkOf),
        root: parent === undefined
      }, parent === undefined ? active : api.trace.setSpan(active, otelOf(api, parent)))
      return new RecordedSpan(span, failed, options)
    }
  })

/** A span of the API, for Effect's tracer to be a parent. */
export const parentOf = (span: OtelSpan): Tracer.AnySpan =>
  new RecordedSpan(span, () => {}, { name: "", parent: Option.none(), kind: "internal", startTime: 0n })

/** The spans that runs of tools were given as the active one. */
const given = new WeakMap<OtelSpan, RecordedSpan>()

/**
 * The span that is active now. Where a tool's callback goes on with the loop, that is the span of a run that is over: what
 * begins there stands beside the run's turn, not below the run.
 */
export const activeSpan = (api: OtelApi): Tracer.AnySpan | undefined => {
  const span = api.trace.getSpan(api.context.active())
  if (span === undefined) return undefined
  let above: Tracer.AnySpan | undefined = given.get(span) ?? parentOf(span)
  while (above instanceof RecordedSpan && above.status._tag === "Ended") above = Option.getOrUndefined(above.parent)
  return above
}

const nowhere = /^0*$/

/** Runs code once, with this span as the active one where the API can do that; what comes out is the code's own. */
export const run = <A>(api: OtelApi, span: Tracer.AnySpan, body: () => A): A => {
  // Without ids it is no span: what is active already stays so.
  if (nowhere.test(span.traceId)) return body()
  let outcome: (() => A) | undefined
  const once = (): void => {
    try {
      const value = body()
      outcome = () => value
    } catch (error) {
      outcome = () => {
        throw error
      }
    }
  }
  try {
    if (span instanceof RecordedSpan) given.set(span.otel, span)
    api.context.with(api.trace.setSpan(api.context.active(), otelOf(api, span)), once)
  } catch {
    // The API's failure is not the tool's.
  }
  return outcome === undefined ? body() : outcome()
}
