/** What stands in for the spans of a turn that is not sampled: nobody would see them, and each costs two microseconds. */
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"

const nothing: ReadonlyMap<string, unknown> = new Map()

/** Goes by the ids of its parent, which is not sampled either; nothing can be written on it. */
class UnsampledSpan implements Tracer.Span {
  readonly name: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly traceId: string
  readonly spanId: string
  readonly annotations: Tracer.Span["annotations"]
  readonly kind: Tracer.SpanKind
  readonly status: Tracer.SpanStatus

  constructor(name: string, parent: Tracer.AnySpan, kind: Tracer.SpanKind, startTime: bigint) {
    this.name = name
    this.parent = Option.some(parent)
    this.traceId = parent.traceId
    this.spanId = parent.spanId
    this.annotations = parent.annotations
    this.kind = kind
    this.status = { _tag: "Started", startTime }
  }

  get _tag(): "Span" {
    return "Span"
  }
  get sampled(): boolean {
    return false
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

/** Makes one. */
export const make = (name: string, parent: Tracer.AnySpan, kind: Tracer.SpanKind, startTime: bigint): Tracer.Span =>
  new UnsampledSpan(name, parent, kind, startTime)
