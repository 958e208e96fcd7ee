/** Which changed calls fit the filters: the store decides, as it does for `find`, so that both mean the same. */
import * as Effect from "effect/Effect"
import type { CallFilter, ListedCall } from "../query/CallSearch.ts"
import { pageAtMost } from "../query/CallSearch.ts"
import { present } from "../query/Fact.ts"
import type { Query } from "../query/Query.ts"
import type { ReadError } from "../store/Capability.ts"

const same = (one: ListedCall, other: ListedCall): boolean =>
  one.startedAt === other.startedAt && one.key === other.key && one.traces[0] === other.traces[0]

/**
 * Those of the calls that fit. One that has changed again since it was listed may be missing: it comes as a later
 * change.
 */
export const fitting = (
  query: Query.Shape,
  filter: CallFilter
): (calls: ReadonlyArray<ListedCall>) => Effect.Effect<ReadonlyArray<ListedCall>, ReadError> => {
  if (Object.keys(filter).length === 0) return Effect.succeed
  const { from = 0n, key, to } = filter
  return (calls) =>
    Effect.filter(calls, (call) => {
      const { startedAt } = call
      if (startedAt < from || (to !== undefined && startedAt >= to)) return Effect.succeed(false)
      if (key !== undefined && call.key !== key) return Effect.succeed(false)
      const itself = { from: startedAt, to: startedAt + 1n, ...present("key", call.key === "" ? undefined : call.key) }
      return query.calls({ ...filter, ...itself, limit: pageAtMost }).pipe(
        Effect.map((page) => page.calls.some((found) => same(found, call))),
        // Without a cursor in the question there is none that could be wrong.
        Effect.catchTag("WrongCursor", Effect.die)
      )
    })
}
