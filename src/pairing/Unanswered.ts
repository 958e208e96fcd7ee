import type { PairOptions } from "./Pairing.ts"
import type { OpenCall } from "./OpenCall.ts"
import type { Walk } from "./Walk.ts"

// The host runs or denies an answered call before it sends the history, unless any result has its id already.
const resultIds = (walk: Walk): ReadonlySet<string | undefined> => new Set(walk.results.map((result) => result.id))

// The provider's code waits for the results of the calls that it made last; only such results may follow them.
const callers = (walk: Walk): ReadonlySet<string | undefined> => {
  const ids = new Set<string | undefined>()
  if (walk.lastUser > walk.lastAssistant) return ids
  for (const call of walk.calls) {
    if (call.caller !== undefined && call.message === walk.lastAssistant) ids.add(call.caller)
  }
  return ids
}

/** Tells each call that goes out without its result; calls that share an id in one message are told once. */
export const unansweredCalls = (walk: Walk, options: PairOptions): void => {
  if (options.resultsElsewhere === true) return
  const last = walk.messages.length - 1
  let answered: ReadonlySet<string | undefined> | undefined
  let running: ReadonlySet<string | undefined> | undefined

  const inProgress = (call: OpenCall): boolean => {
    if (!call.providerExecuted) return false
    return call.message === last || (running ??= callers(walk)).has(call.id)
  }

  const excused = (call: OpenCall): boolean => {
    if (call.state === "pending" || options.pending?.has(call.key) === true || inProgress(call)) return true
    return (call.state === "approved" || call.state === "denied") && walk.reaches(call) &&
      !(answered ??= resultIds(walk)).has(call.id)
  }

  for (const call of walk.calls) {
    if (call.results.length > 0) continue
    const group = call.group
    if (group !== undefined && (group.answered > 0 || group.told)) continue
    if (excused(call)) continue
    if (group !== undefined) group.told = true
    walk.tell("unanswered_call", call, call.message, call.part)
  }
}
