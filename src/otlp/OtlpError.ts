/**
 * Why a request body is not taken as a whole.
 */
import * as Schema from "effect/Schema"

/** The body is no OTLP trace request in the encoding that it claims, or is cut. */
export class NotOtlp extends Schema.TaggedError<NotOtlp>()("NotOtlp", {
  encoding: Schema.Literals(["json", "protobuf"]),
  reason: Schema.String
}) {
  override get message(): string {
    return `This is not an OTLP trace request in ${this.encoding}: ${this.reason}`
  }
}

/** The body is small enough but holds more objects than one request may. */
export class TooManyValues extends Schema.TaggedError<TooManyValues>()("TooManyValues", {
  limit: Schema.Finite,
  /** What there is too much of. */
  of: Schema.String
}) {
  override get message(): string {
    return `The request holds more than ${this.limit} ${this.of}: send smaller batches`
  }
}

/** What decoding a body can fail with. */
export type OtlpError = NotOtlp | TooManyValues
