/** A signal that makes no sense for its call: named, counted and visible in the statistics, and nothing else happens. */

/** Every reason for which a signal is refused. */
export const reasons = [
  "already_decided",
  "already_requested",
  "already_abandoned",
  "not_pending",
  "execution_out_of_order",
  "too_many_executions",
  "unknown_execution",
  "execution_already_ended",
  "result_out_of_order",
  "too_many_results",
  "unknown_result",
  "result_already_consumed"
] as const

/** Why a signal was refused. */
export type Reason = typeof reasons[number]

/** A refused signal. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly reason: Reason
}

/** One value for each reason: refusing allocates nothing. */
const refusals = Object.fromEntries(reasons.map((reason) => [reason, { _tag: "Refusal", reason }])) as Readonly<
  Record<Reason, Refusal>
>

/** The refusal for a reason. */
export const make = (reason: Reason): Refusal => refusals[reason]

/** Tells a refusal from a call. */
export const isRefusal = (value: object): value is Refusal => "_tag" in value && value._tag === "Refusal"
