import * as Lifecycle from "../lifecycle/Refusal.ts"

/** Every reason for which a recorder refuses what it is told. */
export const reasons = [
  ...Lifecycle.reasons,
  "invalid_input",
  "unknown_call",
  "ambiguous_call",
  "unknown_approval",
  "unknown_decision",
  "unreadable_carrier",
  "execution_running",
  "too_many_calls",
  "request_open",
  "no_request",
  "turn_ended",
  "internal_error"
] as const

/**
 * Why a recorder refused what it was told.
 *
 * - `invalid_input`: an answer, an outcome or an origin that is none of those of the types.
 * - `unknown_call`: no call of this id is remembered, nor in the history of the turn's request.
 * - `ambiguous_call`: the id could mean several remembered calls. Pass what `decided` returned, or name conversations.
 * - `unknown_approval`: an answer to an approval that nobody asked for.
 * - `unknown_decision`: no carrier for a call of which only a history told, or that was resumed without one.
 * - `unreadable_carrier`: broken, of another version, from the future or older than `openCallTtlMillis`.
 * - `too_many_calls`: a turn decides 10,000 calls at most.
 * - `execution_running`: a result while a run of the call has not ended.
 * - `request_open`, `no_request`: a second request before the answer to the first, or an answer without a request.
 * - `turn_ended`: the turn is over.
 * - `internal_error`: the tracer, or the recorder itself, threw; nothing of it reaches the caller.
 *
 * All others are those of the lifecycle of a call: a second decision, an end without a start, a second end, a
 * consumption without a result, and so on.
 */
export type Reason = typeof reasons[number]

/** A refused signal: nothing was written for it, it is counted, and the program goes on. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly reason: Reason
}

const refusals = Object.fromEntries(reasons.map((reason) => [reason, { _tag: "Refusal", reason }])) as Readonly<
  Record<Reason, Refusal>
>

/** The refusal for a reason. */
export const make = (reason: Reason): Refusal => refusals[reason]

/** Tells a refusal from whatever else a method of the recorder returns. */
export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "_tag" in value && value._tag === "Refusal"
