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
  /** Refused signals, by reason. */
  readonly refused: Readonly<Partial<Record<Refusal.Reason, number>>>
}

/**
 * The calls that still wait for something: an answer, an execution, or a request that carries their result.
 *
 * Bounded: the oldest call is forgotten when one too many comes, and a call that is older than the limit when it is
 * next looked at. Both are counted. A call that waits for nothing any more is forgotten at once.
 */
export class Ledger {
  // Insertion order is age: a call is remembered once, when it is decided or first met.
  readonly #calls = new Set<TrackedCall>()
  readonly #byId = new Map<string, Set<TrackedCall>>()
  readonly #refused: Partial<Record<Refusal.Reason, number>> = {}
  #evicted = 0
  #expired = 0

  /** Remembers a call; `now` in milliseconds. */
  remember(call: TrackedCall, now: number, limits: Limits): void {
    if (this.#calls.has(call)) return
    this.#expire(now - limits.openCallTtlMillis)
    if (limits.maxOpenCalls <= 0) {
      this.#evicted++
      return
    }
    while (this.#calls.size >= limits.maxOpenCalls) {
      const oldest = this.#calls.values().next().value
      if (oldest === undefined) break
      this.forget(oldest)
      this.#evicted++
    }
    call.rememberedAt = now
    this.#calls.add(call)
    const id = call.hostId
    if (id === undefined) return
    const same = this.#byId.get(id)
    if (same === undefined) this.#byId.set(id, new Set([call]))
    else same.add(call)
  }

  /** Forgets a call, remembered or not. */
  forget(call: TrackedCall): void {
    if (!this.#calls.delete(call)) return
    const id = call.hostId
    if (id === undefined) return
    const same = this.#byId.get(id)
    same?.delete(call)
    if (same?.size === 0) this.#byId.delete(id)
  }

  /** Forgets a call that waits for nothing any more. */
  settle(call: TrackedCall): void {
    if (!Call.isOpen(call.call)) this.forget(call)
  }

  /** The remembered calls that have this id in the host's parts. */
  withId(id: string, now: number, limits: Limits): ReadonlyArray<TrackedCall> {
    this.#expire(now - limits.openCallTtlMillis)
    const same = this.#byId.get(id)
    return same === undefined ? [] : [...same]
  }

  /** Counts a refused signal. */
  refuse(refusal: Refusal.Refusal): void {
    this.#refused[refusal.reason] = (this.#refused[refusal.reason] ?? 0) + 1
  }

  /** What was counted since the process began. */
  counts(): LedgerCounts {
    return { open: this.#calls.size, evicted: this.#evicted, expired: this.#expired, refused: { ...this.#refused } }
  }

  #expire(before: number): void {
    for (const call of this.#calls) {
      if (call.rememberedAt >= before) return
      this.forget(call)
      this.#expired++
    }
  }
}
