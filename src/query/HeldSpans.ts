/** The spans that one answer holds while it is made: each once, and no more than memory bears. */
import * as Effect from "effect/Effect"
import { CannotAnswer } from "../store/Capability.ts"
import * as ReadingLimit from "../store/ReadingLimit.ts"
import type { TraceReader } from "../store/TraceReader.ts"
import * as Reading from "./SpanReading.ts"

/** Holds spans. */
export interface HeldSpans {
  /** The same spans, those that were held already as they are held; fails when they are too many. */
  readonly keep: (
    rows: ReadonlyArray<Reading.SpanRow>
  ) => Effect.Effect<ReadonlyArray<Reading.SpanRow>, CannotAnswer>
  /** Counts objects that are made of spans. */
  readonly count: (objects: number) => Effect.Effect<void, CannotAnswer>
}

/** The failure of a limit. */
const limited = <A>(run: () => A): Effect.Effect<A, CannotAnswer> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      return error instanceof CannotAnswer ? Effect.fail(error) : Effect.die(error)
    }
  })

/** Nothing held yet. */
export const make = ({ capabilities }: TraceReader.Shape): HeldSpans => {
  const limit = ReadingLimit.make(capabilities)
  const held = new Map<string, Reading.SpanRow>()
  const keepOne = (row: Reading.SpanRow): Reading.SpanRow => {
    const address = Reading.addressText(row)
    const known = held.get(address)
    if (known !== undefined) return known
    limit.add(row)
    held.set(address, row)
    return row
  }
  return {
    keep: (rows) => limited(() => rows.map(keepOne)),
    count: (objects) => limited(() => limit.addObjects(objects))
  }
}
