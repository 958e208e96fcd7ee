/** Answers an agent's questions from stored spans. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { present } from "../query/Fact.ts"
import { CommandFailure } from "./CommandFailure.ts"
import * as McpAnswer from "./McpAnswer.ts"
import { notice, pageOf, spansOf, storiesOf, tools } from "./McpTools.ts"
import * as StoredQuery from "./StoredQuery.ts"
import * as TimeFlag from "./TimeFlag.ts"

/** Opens what is asked; for each question anew, so that a file may come, go and be replaced while the server runs. */
export type OpenSource = Effect.Effect<StoredQuery.Source, CommandFailure, Scope.Scope>

/** Asks for fewer entries until the answer is small enough. */
const page = Effect.fnUntraced(function*<A, E extends { readonly message: string }>(
  limit: number,
  ask: (limit: number) => Effect.Effect<A, E>
): Effect.fn.Return<McpAnswer.Cut<A>, E> {
  for (let asked = limit; asked > 1; asked = Math.ceil(asked / 2)) {
    const fitting = McpAnswer.fitPage(yield* ask(asked))
    if (fitting === undefined) continue
    const cut = asked === limit ? [] : [`at most ${asked} entries in place of ${limit}; ask again for what follows`]
    return { value: fitting.value, cut: [...cut, ...fitting.cut] }
  }
  return McpAnswer.fit(yield* ask(1))
}, Effect.mapError(StoredQuery.failed))

/** The handlers of the tools. */
export const layer = (open: OpenSource) => {
  const asking = <A>(ask: (source: StoredQuery.Source) => Effect.Effect<A, CommandFailure>) =>
    Effect.scoped(Effect.flatMap(open, ask))

  const timed = Effect.fnUntraced(function*(name: "from" | "to", given: string | undefined) {
    return present(name, given === undefined ? undefined : TimeFlag.parse(given, yield* Clock.currentTimeNanos))
  })

  const story = ({ query }: StoredQuery.Source, id: string, limit: number) =>
    Effect.mapError(query.story(id, limit), StoredQuery.failed)

  return tools.toLayer({
    find_tool_calls: ({ from, limit = pageOf.usual, to, ...search }) =>
      asking(Effect.fnUntraced(function*({ query }) {
        const times = { ...(yield* timed("from", from)), ...(yield* timed("to", to)) }
        const { cut, value } = yield* page(limit, (limit) => query.calls({ ...search, ...times, limit }))
        return { notice, cut, ...value }
      })),
    get_tool_call: ({ id, limit = storiesOf.usual }) =>
      asking(Effect.fnUntraced(function*(source) {
        const found = yield* story(source, id, limit)
        // An id with invisible characters was answered with these written out.
        const told = found.stories.length > 0 ? found : yield* story(source, McpAnswer.asWritten(id), limit)
        if (told.stories.length === 0) {
          return yield* new CommandFailure({
            message: "There is no tool call with this id or key. find_tool_calls with idPrefix or q finds similar ones."
          })
        }
        const { cut, value } = McpAnswer.fit(told)
        return { notice, cut: [...StoredQuery.reservations(source, ["incoming", "fields"]), ...cut], ...value }
      })),
    get_trace: ({ limit = spansOf.usual, offset = 0, traceId }) =>
      asking(Effect.fnUntraced(function*({ query }) {
        const trace = yield* Effect.mapError(query.trace(traceId.toLowerCase()), StoredQuery.failed)
        if (trace === undefined) {
          return yield* new CommandFailure({
            message: "There is no such trace. find_tool_calls tells the traces of calls."
          })
        }
        const { cut, value } = yield* page(limit, (limit) => Effect.succeed(trace.spans.slice(offset, offset + limit)))
        const next = offset + value.length
        return {
          notice,
          cut,
          traceId: trace.traceId,
          spans: value,
          total: trace.spans.length + trace.hidden,
          ...present("nextOffset", next < trace.spans.length ? next : undefined)
        }
      })),
    list_violations: ({ limit = pageOf.usual, ...search }) =>
      asking(Effect.fnUntraced(function*(source) {
        const { cut, value } = yield* page(limit, (limit) => source.query.violations({ ...search, limit }))
        return { notice, cut: [...StoredQuery.reservations(source, ["faults"]), ...cut], ...value }
      }))
  })
}
