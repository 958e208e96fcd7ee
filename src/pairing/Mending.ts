import type { Message } from "./History.ts"
import type { PairedCall, Pairing } from "./Pairing.ts"

/** What makes a history one in which every call has its one result; indexes are those of the neutral form. */
export interface Mending {
  /** Results to leave out, by message: the indexes of their parts. */
  readonly dropped: ReadonlyMap<number, ReadonlySet<number>>
  /** Calls to answer, by message, in their order. */
  readonly answered: ReadonlyMap<number, ReadonlyArray<PairedCall>>
}

const place = (message: number, part: number): string => `${message}.${part}`

/** Where a call stands in the original: Responses input has no messages. */
const placeOf = (messages: ReadonlyArray<Message>, call: PairedCall): string => {
  const items = messages[call.message]?.items
  return items === undefined ? place(call.message, call.part) : place(items[call.part] ?? call.message, 0)
}

const unansweredCalls = (messages: ReadonlyArray<Message>, pairing: Pairing): ReadonlyArray<PairedCall> => {
  const told = new Set<string>()
  for (const one of pairing.violations) if (one.kind === "unanswered_call") told.add(place(one.message, one.part))
  if (told.size === 0) return []
  // Calls that share an id in one message are told once, and each of them needs its result.
  const sharing = (call: PairedCall): string => `${call.message} ${call.id ?? "?"}`
  const groups = new Set<string>()
  for (const call of pairing.calls) if (told.has(placeOf(messages, call))) groups.add(sharing(call))
  return pairing.calls.filter((call) => call.results.length === 0 && groups.has(sharing(call)))
}

/** What to change; `undefined` when nothing is to be changed. */
export const of = (messages: ReadonlyArray<Message>, pairing: Pairing): Mending | undefined => {
  if (pairing.violations.length === 0) return undefined
  const orphans = pairing.violations.some((one) => one.kind === "orphan_result")
  const dropped = new Map<number, Set<number>>()
  for (const result of pairing.results) {
    const stays = result.call === undefined ? !orphans : result.call.results[0] === result
    if (stays) continue
    const parts = dropped.get(result.message)
    if (parts === undefined) dropped.set(result.message, new Set([result.part]))
    else parts.add(result.part)
  }
  const answered = new Map<number, Array<PairedCall>>()
  for (const call of unansweredCalls(messages, pairing)) {
    const calls = answered.get(call.message)
    if (calls === undefined) answered.set(call.message, [call])
    else calls.push(call)
  }
  return dropped.size === 0 && answered.size === 0 ? undefined : { dropped, answered }
}
