/**
 * Keeps the table of reported faults, and finds the call that each names.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Sql from "./Sql.ts"
import type { ViolationEvent } from "./ViolationEvent.ts"

/** Writes the table of faults. */
export interface ViolationIndex {
  readonly add: (span: number, trace: number, events: ReadonlyArray<ViolationEvent>) => void
  /** Finds the calls anew that the faults of these keys name. */
  readonly place: (keys: ReadonlyArray<string>) => void
}

/** Faults of one key that are placed anew, at most, the newest. */
const placedAtMost = 200

interface Fault {
  readonly id: number
  readonly trace: number
  readonly conversation: string | null
  readonly call: number | null
}

/** An index over the table `violation`. */
export const make = (database: DatabaseSync): ViolationIndex => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const insertViolation = statement("insertViolation")
  const callsNamedInConversation = statement("callsNamedInConversation")
  const callsNamedInTrace = statement("callsNamedInTrace")
  const callsOfKey = statement("callsOfKey")
  const keysWithViolations = statement("keysWithViolations")
  const violationsOfKey = statement("violationsOfKey")
  const placeViolation = statement("placeViolation")

  const only = (records: ReadonlyArray<unknown>): number | undefined =>
    records.length === 1 ? (records[0] as { readonly id: number }).id : undefined

  /** The one call that the fault can mean, the nearest first: in its conversation, in its trace, anywhere. */
  const callOf = (key: string, conversation: string | undefined, trace: number): number | undefined => {
    const said = conversation === undefined ? undefined : only(callsNamedInConversation.all(conversation, key))
    return said ?? only(callsNamedInTrace.all(trace, key)) ?? only(callsOfKey.all(key))
  }

  /** Those of the keys that a fault names: one question for all, as it is asked for each request and few do. */
  const named = (keys: ReadonlyArray<string>): ReadonlyArray<string> => {
    // Text with NUL does not come through JSON whole.
    const [odd, plain] = [keys.filter((key) => key.includes("\0")), keys.filter((key) => !key.includes("\0"))]
    const found = plain.length === 0 ? [] : keysWithViolations.all(JSON.stringify(plain))
    return [...odd, ...found.map((record) => String(record["key"]))]
  }

  /** Keys of faults that are new. */
  const waiting = new Set<string>()

  return {
    add: (span, trace, events) => {
      for (const event of events) {
        insertViolation.run(
          span,
          trace,
          event.index,
          event.kind,
          event.tool ?? null,
          event.id ?? null,
          event.key ?? null,
          event.conversation ?? null,
          null
        )
        if (event.key !== undefined) waiting.add(event.key)
      }
    },
    place: (keys) => {
      for (const key of new Set([...named(keys), ...waiting])) {
        for (const record of violationsOfKey.all(key, placedAtMost)) {
          const { call, conversation, id, trace } = record as unknown as Fault
          const owner = callOf(key, conversation ?? undefined, trace) ?? null
          if (owner !== call) placeViolation.run(owner, id)
        }
      }
      waiting.clear()
    }
  }
}
