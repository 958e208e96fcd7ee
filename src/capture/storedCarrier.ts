/** Carriers in a key-value store: for histories that another process reads and that must not be written into. */
import * as Effect from "effect/Effect"
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import type { PairedCall, Pairing } from "../pairing/Pairing.ts"
import * as Fingerprint from "../lifecycle/Fingerprint.ts"
import type { CarrierStore } from "../settings/settings.ts"
import type { Observation } from "./Observation.ts"

/** A store that does not answer must not hold a turn up: it counts as having nothing. */
const patience = "1 second"

/** How many calls of one history are looked up at most: those that wait are the last ones. */
const maximumLookups = 64

/** What a store keeps of a call that could be one of two conversations: nothing may be linked. */
const ambiguous = JSON.stringify({ v: 1, ambiguous: true })

/** The key of a call in the store. Parameters stand in for a conversation that nobody named. */
const keyOf = (
  conversation: string | undefined,
  id: string,
  name: string,
  fingerprint: string | undefined
): string | undefined =>
  fingerprint === undefined
    ? undefined
    : ["toolspan", conversation ?? "", name, id, fingerprint].map(encodeURIComponent).join("/")

const keyOfTracked = (call: TrackedCall): string | undefined =>
  call.hostId === undefined || call.hostId === "" || call.call.identity.name === undefined
    ? undefined
    : keyOf(call.conversation, call.hostId, call.call.identity.name, call.fingerprint)

const keyOfPaired = (conversation: string | undefined, call: PairedCall): string | undefined =>
  call.id === undefined || call.id === ""
    ? undefined
    : keyOf(conversation, call.id, call.name, Fingerprint.make(call.params))

const quietly = <A>(observation: Observation, effect: Effect.Effect<A, unknown>): Effect.Effect<A | undefined> =>
  Effect.catchCause(Effect.timeout(effect, patience), () =>
    Effect.sync((): undefined => {
      observation.counters.carriersIgnored++
    }))

/** What the store has for the calls of a history that nobody has answered, by the calls' own parts. */
export const load = (
  observation: Observation,
  store: CarrierStore,
  conversation: string | undefined,
  pairing: Pairing
): Effect.Effect<ReadonlyMap<object, unknown>> => {
  const all = pairing.calls.filter((call) =>
    !call.providerExecuted && (call.results.length === 0 || call.results[0]!.message > pairing.lastAssistant)
  )
  observation.counters.untrackedCalls += Math.max(0, all.length - maximumLookups)
  const waiting = all.slice(-maximumLookups)
  const found = new Map<object, unknown>()
  const look = (call: PairedCall): Effect.Effect<void> => {
    const key = keyOfPaired(conversation, call)
    if (key === undefined) return Effect.void
    return Effect.map(quietly(observation, Effect.suspend(() => store.get(key))), (text) => {
      if (text === undefined || text === null) return
      try {
        found.set(call.source, JSON.parse(text))
      } catch {
        found.set(call.source, text)
      }
    })
  }
  return Effect.as(Effect.forEach(waiting, look, { concurrency: 8, discard: true }), found)
}

/** One change of the store at the end of a turn. */
export interface Change {
  readonly call: TrackedCall
  /** `undefined`: the call waits for nothing any more. */
  readonly carrier: object | undefined
}

/** Writes what a turn left waiting, and removes what has been answered. */
export const save = (
  observation: Observation,
  store: CarrierStore,
  changes: ReadonlyArray<Change>
): Effect.Effect<void> =>
  Effect.forEach(changes, ({ call, carrier }) => {
    const key = keyOfTracked(call)
    if (key === undefined) return Effect.void
    if (carrier === undefined) return quietly(observation, Effect.suspend(() => store.remove(key)))
    const text = JSON.stringify(carrier)
    if (call.conversation !== undefined) return quietly(observation, Effect.suspend(() => store.set(key, text)))
    // Without a conversation's name another one may have left the same call here.
    return quietly(
      observation,
      Effect.flatMap(
        Effect.suspend(() => store.get(key)),
        (before) => store.set(key, before === undefined || before === null || before === text ? text : ambiguous)
      )
    )
  }, { discard: true })
