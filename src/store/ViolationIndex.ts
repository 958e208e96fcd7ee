/**
 * Keeps the table of reported faults, and finds the call that each names.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Sql from "./Sql.ts"
import type { ViolationEvent } from "./ViolationEvent.ts"

/** Writes the table of faults. */
export interface ViolationIndex {
  readonly add: (span: number, trace: number, events: ReadonlyArray<ViolationEvent>) => void
}

/** An index over the table `violation`. */
export const make = (database: DatabaseSync): ViolationIndex => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const insertViolation = statement("insertViolation")
  const callsOfKeyInConversation = statement("callsOfKeyInConversation")
  const callsOfKeyInTrace = statement("callsOfKeyInTrace")
  const callsOfKey = statement("callsOfKey")

  const only = (records: ReadonlyArray<unknown>): number | undefined =>
    records.length === 1 ? (records[0] as { readonly id: number }).id : undefined

  /** The one call that the fault can mean, the nearest first: in its conversation, in its trace, anywhere. */
  const callOf = ({ conversation, key }: ViolationEvent, trace: number): number | undefined => {
    if (key === undefined) return undefined
    const said = conversation === undefined ? undefined : only(callsOfKeyInConversation.all(conversation, key))
    return said ?? only(callsOfKeyInTrace.all(trace, key)) ?? only(callsOfKey.all(key))
  }

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
          callOf(event, trace) ?? null
        )
      }
    }
  }
}
