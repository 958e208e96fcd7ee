/**
 * What decoders throw inside this folder; {@link TraceRequest} turns it into a typed error at its edge.
 */

/** The body cannot be read further. */
export class Fault {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** The body holds too many objects. */
export class Excess {}

/** One span cannot be taken; the others can. */
export class SpanFault {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}
