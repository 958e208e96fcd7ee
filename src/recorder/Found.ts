/** Which call a framework means: the one that `decided` returned, or an id that only one call can have. */
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import type { Decisions } from "./Decisions.ts"
import type { History } from "./History.ts"
import { remembered } from "./History.ts"
import * as Refusal from "./Refusal.ts"
import type { Session } from "./Session.ts"

/**
 * A call that was decided: pass it, or its id where only one call has it, to the other methods of a turn.
 *
 * `key` is what the spans and the local backend search by: the id, `id#2` for the second call of that id, `?1` for one
 * without. It may be kept and passed to a later turn of the same recorder.
 */
export interface RecordedCall {
  readonly _tag: "RecordedCall"
  readonly key: string
  readonly id: string | undefined
}

/** What names a call: what `decided` returned, or the call's id. */
export type CallReference = RecordedCall | string

/** The call as the framework gets it. */
export const reference = (session: Session, tracked: TrackedCall): RecordedCall => {
  const { id, key } = tracked.call.identity
  const made: RecordedCall = { _tag: "RecordedCall", key, id }
  session.references.set(made, tracked)
  return made
}

/** The stage that is told: of calls that share an id, the next one that has not come so far is meant. */
export type Stage = "asked" | "answered" | "started" | "result" | "consumed"

const waits: Readonly<Record<Stage, (call: TrackedCall) => boolean>> = {
  asked: ({ call }) => call.approval === "not_required",
  answered: ({ call }) => call.approval === "pending",
  started: ({ call }) => call.executions.length === 0,
  result: ({ call }) => call.results.length === 0,
  consumed: ({ call }) => call.results.includes("known")
}

/** A call that was found; `ambiguous` when others of one response have the same id, and no link may be guessed. */
export interface Found {
  readonly tracked: TrackedCall
  readonly ambiguous: boolean
}

/** Where a call may be found. */
export interface Place {
  readonly session: Session
  readonly conversation: string | undefined
  readonly decisions: Decisions
  readonly history: History | undefined
}

const oneOf = (sharing: ReadonlyArray<TrackedCall>, stage: Stage): Found | undefined => {
  const tracked = sharing.find(waits[stage]) ?? sharing[0]
  return tracked === undefined ? undefined : { tracked, ambiguous: sharing.length > 1 }
}

/** The call that is meant, or why none is. */
export const find = (place: Place, wanted: CallReference, stage: Stage): Found | Refusal.Refusal => {
  if (typeof wanted !== "string") {
    const tracked = place.session.references.get(wanted)
    return tracked === undefined ? place.session.refuse("unknown_call") : { tracked, ambiguous: false }
  }
  const decided = oneOf(place.decisions.withId(wanted), stage)
  if (decided !== undefined) return decided
  const candidates = wanted === "" ? [] : remembered(place.session, wanted, place.conversation)
  if (candidates.length === 1) return { tracked: candidates[0]!, ambiguous: false }
  const waiting = candidates.filter(waits[stage])
  if (waiting.length === 1) return { tracked: waiting[0]!, ambiguous: false }
  const inHistory = place.history?.withId(wanted) ?? []
  if (inHistory.length > 0) {
    const known = place.history?.known(inHistory[inHistory.length - 1]!)
    if (known !== undefined && (known.remembered || candidates.length === 0)) {
      return { tracked: known.tracked, ambiguous: known.ambiguous || inHistory.length > 1 }
    }
  }
  return place.session.refuse(candidates.length > 1 ? "ambiguous_call" : "unknown_call")
}

export const isRefused = (found: Found | Refusal.Refusal): found is Refusal.Refusal => Refusal.isRefusal(found)
