/**
 * What is asked of a trace store of somebody else's: whole traces, and which traces have a span that fits.
 */
import type * as Effect from "effect/Effect"
import type { SpanRow } from "../otlp/SpanRow.ts"
import { attributeOf } from "../otlp/SpanRow.ts"
import type { Capabilities, ReadError } from "./Capability.ts"
import type { SpanAddress } from "./TraceReader.ts"

/**
 * One condition on a span: on an attribute of its own, of one of its events, or of its resource. `target` is a span that it
 * links to, `<trace id>-<span id>`; `target-trace` the trace of one.
 */
export type Condition =
  | { readonly on: "span" | "event"; readonly key: string; readonly value: string }
  | { readonly on: "service" | "target" | "target-trace" | "twin-trace"; readonly value: string }

/** Conditions that hold together for one span. */
export type Alternative = ReadonlyArray<Condition>

/** Start times of spans in unix nanoseconds, both included. */
export interface Window {
  readonly from: bigint
  readonly until: bigint
}

/** Traces that fit; incomplete when there may be more than were given. */
export interface Found {
  readonly traceIds: ReadonlyArray<string>
  readonly complete: boolean
}

/** A trace store that is asked over HTTP. */
export interface RemoteEngine {
  readonly capabilities: Capabilities
  /** The most traces of one answer. */
  readonly tracesAtMost: number
  /** How far back it is searched when nobody says otherwise, in nanoseconds. */
  readonly lookback: bigint
  /** All spans of a trace in its own order; none when it is not there. */
  readonly trace: (traceId: string) => Effect.Effect<ReadonlyArray<SpanRow>, ReadError>
  /**
   * The traces with a span that fits any alternative. MAY give traces that do not fit; MUST NOT call an answer complete
   * that could lack one.
   */
  readonly search: (anyOf: ReadonlyArray<Alternative>, window: Window) => Effect.Effect<Found, ReadError>
  /** Ways to find the spans that link to this one, the widest first: the next is tried where one finds too much. */
  readonly incoming: (address: SpanAddress) => ReadonlyArray<ReadonlyArray<Alternative>>
  /** The same for the spans of one call, whose key is given where the span has one. */
  readonly joining: (address: SpanAddress, key: string | undefined) => ReadonlyArray<ReadonlyArray<Alternative>>
}

const serviceName = "service.name"

/** Whether the span fits, as far as attributes tell. */
export const fits = (row: SpanRow, alternative: Alternative): boolean =>
  alternative.every((condition) => {
    switch (condition.on) {
      case "span":
        return attributeOf(row.attributes, condition.key) === condition.value
      case "event":
        return row.events.some(({ attributes }) => attributeOf(attributes, condition.key) === condition.value)
      case "service":
        return attributeOf(row.resource.attributes, serviceName) === condition.value
      default:
        return true
    }
  })
