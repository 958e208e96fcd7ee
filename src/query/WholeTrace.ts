/** One trace, whole: every span with everything that was sent. */
import * as Schema from "effect/Schema"
import { Instant } from "./Instant.ts"
import { roles } from "./StoryTrace.ts"

/**
 * An attribute. Integers beyond 2^53 are their digits, bytes are `{ "bytes": base64 }`, key-value lists objects, and
 * numbers that JSON does not have are their names.
 */
export const SpanAttribute = Schema.Struct({ key: Schema.String, value: Schema.Json })
/** An attribute. */
export interface SpanAttribute extends Schema.Schema.Type<typeof SpanAttribute> {}

/** A link to or from another span; the other end's name is known when it has arrived. */
export const SpanLink = Schema.Struct({
  /** `toolspan.link.type`; `""` for a link of another origin. */
  type: Schema.String,
  traceId: Schema.String,
  spanId: Schema.String,
  name: Schema.optionalKey(Schema.String)
})
/** A link to or from another span. */
export interface SpanLink extends Schema.Schema.Type<typeof SpanLink> {}

/** One event of a span. */
export const SpanEvent = Schema.Struct({
  at: Instant,
  name: Schema.String,
  attributes: Schema.Array(SpanAttribute)
})

/** One span; `depth` 0 is a span whose parent is not in the trace. */
export const WholeSpan = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  service: Schema.optionalKey(Schema.String),
  start: Instant,
  durationMillis: Schema.Finite,
  failed: Schema.Boolean,
  depth: Schema.Finite,
  /** What the span is to tool calls, when it is something. */
  role: Schema.optionalKey(Schema.Literals(roles)),
  statusMessage: Schema.optionalKey(Schema.String),
  /** The instrumentation that wrote the span. */
  scope: Schema.optionalKey(Schema.String),
  attributes: Schema.Array(SpanAttribute),
  events: Schema.Array(SpanEvent),
  links: Schema.Array(SpanLink),
  linkedFrom: Schema.Array(SpanLink)
})
/** One span of a trace. */
export interface WholeSpan extends Schema.Schema.Type<typeof WholeSpan> {}

/** One trace in tree order; `hidden` spans were more than are shown. */
export const WholeTrace = Schema.Struct({
  traceId: Schema.String,
  spans: Schema.Array(WholeSpan),
  hidden: Schema.Finite
})
/** One trace, whole. */
export interface WholeTrace extends Schema.Schema.Type<typeof WholeTrace> {}
