/**
 * Figures of tools over an open SQLite database. Counts come from an index alone, and few durations are read: 100,000
 * calls take some 60 ms, in which the server answers nothing else.
 */
import type { DatabaseSync } from "node:sqlite"
import * as Sql from "./Sql.ts"
import { durationsOfEach, type ToolFigure, toolsAtMost } from "./ToolFigure.ts"

/** Up to so many times the calls that are wanted, reading over the rest is faster than sorting. */
const readOver = 2

type Counts = Pick<ToolFigure, "tool" | "calls" | "failures" | "pending">

interface Durations {
  readonly execution: number | null
  readonly wait: number | null
}

/** The figures of tools, in a method that throws what SQLite throws. */
export const make = (database: DatabaseSync): (limit: number) => ReadonlyArray<ToolFigure> => {
  const statement = (name: string) => database.prepare(Sql.read(name))
  const startOfNewest = statement("startOfNewest")
  const counts = statement("toolCounts")
  const newestCounts = database.prepare(
    Sql.read("toolCounts").replace("indexed by call_tool", "indexed by call_started")
  )
  const toolFaults = statement("toolFaults")
  const toolIsKnown = statement("toolIsKnown")
  const toolDurations = statement("toolDurations")

  const startOf = (place: number): bigint | undefined => {
    const found = startOfNewest.get(place - 1) as { readonly start: string } | undefined
    return found && BigInt(found.start)
  }

  return (limit) => {
    const start = startOf(limit) ?? 0n
    const counting = startOf(limit * readOver) === undefined ? counts : newestCounts
    const tools = counting.all(start, toolsAtMost) as unknown as ReadonlyArray<Counts>
    const faults = new Map(toolFaults.all(start).map(({ faults, tool }) => [String(tool), Number(faults)]))
    const durations = durationsOfEach(tools.length)
    return tools.map(({ calls, failures, pending, tool }) => {
      const newest = toolDurations.all(tool, start, durations) as unknown as ReadonlyArray<Durations>
      return {
        tool,
        known: toolIsKnown.get(tool, start)?.["known"] === 1,
        calls,
        failures,
        pending,
        faults: faults.get(tool) ?? 0,
        executions: newest.flatMap(({ execution }) => execution ?? []),
        waits: newest.flatMap(({ wait }) => wait ?? [])
      }
    })
  }
}
