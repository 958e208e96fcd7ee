/**
 * What decoders throw inside this folder; {@link TraceRequest} turns it into a typed error at its edge.
 */

/** This cannot be read: inside a span it refuses the span, elsewhere the body. */
export class Fault {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** The body holds more of something than it may. */
export class Excess {
  readonly limit: number
  readonly of: string
  constructor(limit: number, of: string) {
    this.limit = limit
    this.of = of
  }
}
