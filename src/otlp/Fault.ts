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

/** The body holds too many objects. */
export class Excess {}
