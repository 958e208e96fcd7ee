/** A pointer to one span. */
import * as Schema from "effect/Schema"

/** A span: 32 and 16 lower-case hex digits, and its name. */
export const SpanRef = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  name: Schema.String
})
/** A pointer to one span. */
export interface SpanRef extends Schema.Schema.Type<typeof SpanRef> {}
