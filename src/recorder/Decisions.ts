/** The calls that the model asked for in one turn, found by their id and by what is tracked of them. */
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import type { Decision } from "./Decision.ts"

/** How many calls one turn decides; as many as are remembered between turns unless the app says otherwise. */
export const maximumDecisions = 10_000

const none: ReadonlyArray<TrackedCall> = []

export class Decisions implements Iterable<Decision> {
  readonly #byCall = new Map<TrackedCall, Decision>()
  readonly #byId = new Map<string, Array<TrackedCall>>()

  get full(): boolean {
    return this.#byCall.size >= maximumDecisions
  }

  add(decision: Decision): void {
    const { tracked } = decision
    this.#byCall.set(tracked, decision)
    if (tracked.hostId === undefined) return
    const sharing = this.#byId.get(tracked.hostId)
    if (sharing === undefined) this.#byId.set(tracked.hostId, [tracked])
    else sharing.push(tracked)
  }

  of(tracked: TrackedCall): Decision | undefined {
    return this.#byCall.get(tracked)
  }

  /** The calls of this id, in their order. */
  withId(id: string): ReadonlyArray<TrackedCall> {
    return this.#byId.get(id) ?? none
  }

  [Symbol.iterator](): Iterator<Decision> {
    return this.#byCall.values()
  }
}
