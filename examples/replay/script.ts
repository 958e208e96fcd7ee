import type { Answer } from "./answer.ts"

/** What can go wrong on the way, without a word of it in the response. Times are in milliseconds. */
export type Fault =
  /** `before` passes ahead of the headers, `between` between two events (or the two halves of a body). */
  | { readonly type: "slow"; readonly before?: number; readonly between?: number }
  /** The socket is destroyed after so many events; a body that is no stream is cut after its first half. */
  | { readonly type: "cut"; readonly after: number }
  /** The event at this index carries cut JSON, and the stream goes on; a body that is no stream is cut JSON. */
  | { readonly type: "malformed"; readonly at: number }

/** The service refuses: 429 with `retry-after`, 529, or any other status, with an error body in the API's own shape. */
export interface Refusal {
  readonly refuse: number
  /** Seconds, sent as the `retry-after` header. */
  readonly retryAfter?: number
  readonly message?: string
}

/** A body that is sent as it stands: as JSON, or raw when it is a text. */
export interface VerbatimBody {
  readonly body: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Events that are sent as they stand: an element with `event` and `data` becomes these two lines, any other element is
 * one `data:` line (JSON, or the text itself).
 */
export interface VerbatimEvents {
  readonly events: ReadonlyArray<unknown>
  /** What follows the last event: the response is closed, or the socket destroyed 50 ms later. */
  readonly ending?: "close" | "destroy"
}

/** One step of a script answers one request. Any step may have a fault. */
export type Step = (Answer | Refusal | VerbatimBody | VerbatimEvents) & { readonly fault?: Fault }
