import type * as Refusal from "./Refusal.ts"
import * as Call from "./ToolCall.ts"
import type { TrackedCall } from "./TrackedCall.ts"

/** How many calls are remembered at most and for how long (milliseconds). */
export interface Limits {
  readonly maxOpenCalls: number
  readonly openCallTtlMillis: number
}

/** What the ledger counts. */
export interface LedgerCounts {
  /** Calls that are remembered now. */
  readonly open: number
  /** Calls forgotten because the ledger was full. */
  readonly evicted: number
  /** Calls forgotten because they were too old. */
  readonly expired: number
  /** Approvals and answers that calls had too many of. */
  readonly dropped: number
  /** Refused signals, by reason. */
  readonly refused: Readonly<Partial<Record<Refusal.Reason, number>>>
}

/** How many remembered calls may share an id: looking one up reads them all. */
export const maximumSharing = 1_024

/** How long the ids of the remembered calls may be together, in characters: as many calls, with 256 each. */
const maximumWeight = (limits: Limits): number => Math.max(65_536, 256 * limits.maxOpenCalls)

const weightOf = ({ approvals, call: { identity }, hostId }: TrackedCall): number => {
  let weight = identity.key.length + (hostId?.length ?? 0) + (identity.requestedName?.length ?? 0)
  for (const approval of approvals) weight += approval.approvalId.length
  return weight
}

/**
 * The calls that still wait for something: an answer, an execution, or a request that carries their result.
 *
 * Bounded: the oldest call is forgotten when one too many comes, one too many of an id, or ids too long; and a call that
 * is older than the limit when it is next looked at. All are counted. A call that waits for nothing any more is forgotten at once.
 */
export class Ledger {
  // Insertion order is age: a call is remembered once, when it is decided or first met.
  readonly #calls = new Set<TrackedCall>()
  #ages: SetIterator<TrackedCall> = this.#calls.values()
  #head: TrackedCall | undefined
  readonly #byId = new Map<string, TrackedCall | Set<TrackedCall>>()
  readonly #refused: Partial<Record<Refusal.Reason, number>> = {}
  #evicted = 0
  #expired = 0
  #dropped = 0
  #weight = 0

  /** Remembers a call; `now` in milliseconds. */
  remember(call: TrackedCall, now: number, limits: Limits): void {
    this.#count(call)
    if (this.#calls.has(call)) return
    this.#expire(now - limits.openCallTtlMillis)
    const weight = weightOf(call)
    if (limits.maxOpenCalls <= 0 || weight > maximumWeight(limits)) {
      this.#evicted++
      return
    }
    while (this.#calls.size >= limits.maxOpenCalls || this.#weight + weight > maximumWeight(limits)) {
      if (!this.#evict(this.#oldest())) break
    }
    call.rememberedAt = now
    call.weight = weight
    this.#weight += weight
    this.#calls.add(call)
    const id = call.hostId
    if (id === undefined) return
    const same = this.#byId.get(id)
    if (same === undefined) this.#byId.set(id, call)
    else if (!(same instanceof Set)) this.#byId.set(id, new Set([same, call]))
    else {
      if (same.size >= maximumSharing) this.#evict(same.values().next().value)
      same.add(call)
    }
  }

  /** Forgets a call, remembered or not. */
  forget(call: TrackedCall): void {
    this.#count(call)
    if (!this.#calls.delete(call)) return
    if (this.#head === call) this.#head = undefined
    this.#weight -= call.weight
    const id = call.hostId
    if (id === undefined) return
    const same = this.#byId.get(id)
    if (same === call) this.#byId.delete(id)
    else if (same instanceof Set && same.delete(call) && same.size === 0) this.#byId.delete(id)
  }

  /** Forgets a call that waits for nothing any more. */
  settle(call: TrackedCall): void {
    if (!Call.isOpen(call.call)) this.forget(call)
  }

  /** The remembered calls that have this id in the host's parts. */
  withId(id: string, now: number, limits: Limits): ReadonlyArray<TrackedCall> {
    this.#expire(now - limits.openCallTtlMillis)
    const same = this.#byId.get(id)
    return same === undefined ? [] : same instanceof Set ? [...same] : [same]
  }

  /** Counts a refused signal. */
  refuse(refusal: Refusal.Refusal): void {
    this.#refused[refusal.reason] = (this.#refused[refusal.reason] ?? 0) + 1
  }

  /** What was counted since the process began. */
  counts(): LedgerCounts {
    return {
      open: this.#calls.size,
      evicted: this.#evicted,
      expired: this.#expired,
      dropped: this.#dropped,
      refused: { ...this.#refused }
    }
  }

  #count(call: TrackedCall): void {
    this.#dropped += call.dropped
    call.dropped = 0
  }

  /**
   * The oldest call that is remembered.
   *
   * One iterator goes on where it stood: a new one would step over the place of every call forgotten before, 5 µs a call
   * in a full ledger.
   */
  #oldest(): TrackedCall | undefined {
    if (this.#head !== undefined) return this.#head
    let next = this.#ages.next()
    if (next.done === true) {
      // An iterator that has come to its end stays there.
      this.#ages = this.#calls.values()
      next = this.#ages.next()
    }
    return this.#head = next.value
  }

  /** Forgets this one for want of room; false when there is none. */
  #evict(call: TrackedCall | undefined): boolean {
    if (call === undefined) return false
    this.forget(call)
    this.#evicted++
    return true
  }

  #expire(before: number): void {
    for (let call = this.#oldest(); call !== undefined && call.rememberedAt < before; call = this.#oldest()) {
      this.forget(call)
      this.#expired++
    }
  }
}
