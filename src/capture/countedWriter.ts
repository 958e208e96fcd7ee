/** A writer that counts what does not fit on a span. */
import * as Limit from "../lifecycle/limit.ts"
import type { SpanWriter } from "../lifecycle/SpanWriter.ts"

/** What one span or response had too many of. */
export interface Dropped {
  /** Events of violations. */
  violations: number
  /** Links from requests to results. */
  links: number
  /** Events of preliminary results. */
  preliminaries: number
  /** Calls of a response on the wire. */
  wireCalls: number
}

/** The same writer; what it leaves out is added to `dropped`. */
export const make = (writer: SpanWriter, dropped: Dropped): SpanWriter => ({
  ...writer,
  preliminary: (place, span, call, index, value, time) => {
    if (index >= Limit.maximumPreliminaryEvents) dropped.preliminaries++
    writer.preliminary(place, span, call, index, value, time)
  },
  consume: (span, results, ambiguous) => {
    dropped.links += Math.max(0, results.length - Limit.maximumConsumesLinks)
    writer.consume(span, results, ambiguous)
  },
  violations: (place, span, found, time) => {
    dropped.violations += Math.max(0, found.length - Limit.maximumViolationEvents)
    writer.violations(place, span, found, time)
  }
})
