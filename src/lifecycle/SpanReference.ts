/** What is kept of a span that later ones link to: its ids. The span itself holds its attributes, events and parents. */
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"

const nothing: ReadonlyMap<string, unknown> = new Map()

const ended: Tracer.SpanStatus = { _tag: "Ended", startTime: 0n, endTime: 0n, exit: Exit.void }

/** Not an external span: those count as remote, and this one was made here. Nothing can be written on it. */
class SpanReference implements Tracer.Span {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
  readonly annotations: Tracer.Span["annotations"]

  constructor(span: Tracer.Span) {
    this.traceId = span.traceId
    this.spanId = span.spanId
    this.sampled = span.sampled
    this.annotations = span.annotations
  }

  get _tag(): "Span" {
    return "Span"
  }
  get name(): string {
    return ""
  }
  get parent(): Option.Option<Tracer.AnySpan> {
    return Option.none()
  }
  get kind(): Tracer.SpanKind {
    return "internal"
  }
  get status(): Tracer.SpanStatus {
    return ended
  }
  get attributes(): ReadonlyMap<string, unknown> {
    return nothing
  }
  get links(): ReadonlyArray<Tracer.SpanLink> {
    return []
  }
  end(): void {}
  attribute(): void {}
  event(): void {}
  addLinks(): void {}
}

/** The same span for links, in some 100 bytes. */
export const of = (span: Tracer.AnySpan): Tracer.AnySpan =>
  span._tag === "ExternalSpan" || span instanceof SpanReference ? span : new SpanReference(span)
