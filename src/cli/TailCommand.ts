/** `toolspan tail`: tool calls as they come. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ListedCall } from "../query/CallSearch.ts"
import type { Query } from "../query/Query.ts"
import { callFlags, filterOf, inWords } from "./CallFlags.ts"
import * as CallMatch from "./CallMatch.ts"
import * as CallTable from "./CallTable.ts"
import * as JsonLines from "./JsonLines.ts"
import { Screen } from "./Screen.ts"
import * as StopSignal from "./StopSignal.ts"
import * as StoredQuery from "./StoredQuery.ts"

const flags = {
  ...callFlags,
  last: Flag.Int("last").pipe(
    Flag.filter((last) => last >= 0 && last <= 1000, () => "a number from 0 to 1,000"),
    Flag.withDescription("Begin with so many calls that are there already. Default: 0"),
    Flag.withDefault(0)
  ),
  ...StoredQuery.placeFlags,
  json: StoredQuery.jsonFlag
}

const json = JsonLines.of(ListedCall)

/** How often the store is asked when nothing comes, in milliseconds. */
const interval = 250

/** After so many milliseconds without a pause it is looked at how far behind the list is. */
const patience = 2_000

/** Spans that may wait before it is said that the list is behind. */
const waitingAtMost = 2_000

/** Prints a line, or a JSON object, for each call that is new or has changed, until a signal stops it. */
export const tailCommand = Command.make(
  "tail",
  flags,
  Effect.fnUntraced(function*({ backend, data, json: asJson, last, ...filter }) {
    const stopped = yield* StopSignal.listen
    const screen = yield* Screen
    const place = yield* StoredQuery.placeOf({ backend, data })
    const { query } = yield* place.open
    const wanted = yield* filterOf(filter)
    const fitting = CallMatch.fitting(query, wanted)
    let widths: CallTable.Widths | undefined
    const show = Effect.fnUntraced(function*(calls: ReadonlyArray<ListedCall>) {
      if (calls.length === 0) return
      if (asJson) return yield* screen.print(yield* json(calls))
      const titled = widths !== undefined
      widths = CallTable.widthsOf(calls, widths)
      yield* screen.print([
        ...(titled ? [] : [CallTable.titleLine(widths, screen.width, screen.style)]),
        ...CallTable.callLines(calls, widths, screen.width, screen.style)
      ])
    })
    const follow = Effect.gen(function*() {
      // The place first, then the calls that are there: what comes in between is shown twice, not never.
      let reached = (yield* query.changes(undefined)).last
      const words = inWords(filter)
      yield* screen.note([
        `Waiting for tool calls${words === "" ? "" : ` with ${words}`} in ${place.name}. Ctrl+C ends it.`
      ])
      if (last > 0) yield* show((yield* query.calls({ ...wanted, limit: last })).calls.toReversed())
      const lag = yield* watchLag(query, screen)
      while (yield* screen.isRead) {
        const changes = yield* query.changes(reached)
        yield* show(yield* fitting(changes.calls))
        const came = changes.last !== reached
        reached = changes.last
        yield* lag(came, reached)
        if (!came) yield* Effect.sleep(interval)
      }
    })
    yield* Effect.raceFirst(
      follow.pipe(Effect.catchTags({
        CannotAnswer: StoredQuery.refused,
        StoreUnavailable: StoredQuery.refused,
        WrongCursor: StoredQuery.refused
      })),
      stopped
    )
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Print tool calls as they come and each time they change, with the filters of find, until Ctrl+C. Reads the file that "
      + "toolspan dev writes. Exit code 0: it was stopped, 2: wrong use or an error."
  ),
  Command.withShortDescription("Print tool calls as they come"),
  Command.withExamples([
    { command: "toolspan tail", description: "Every call, each time that something happens to it" },
    { command: "toolspan tail --state pending", description: "Calls that begin to wait for a human" },
    { command: "toolspan tail --outcome failure --json", description: "What fails, for a script" },
    { command: "toolspan tail --last 10", description: "The newest calls first, then what comes" }
  ])
)

/** Says once when more comes than is shown, and once when all of it is shown again. */
const watchLag = Effect.fnUntraced(function*(query: Query.Shape, screen: Screen.Shape) {
  let busySince = yield* Clock.currentTimeMillis
  let behind = false
  return Effect.fnUntraced(function*(came: boolean, place: number) {
    const now = yield* Clock.currentTimeMillis
    if (!came) {
      busySince = now
      if (behind) yield* screen.note(["All that came is shown again."])
      behind = false
    } else if (!behind && now - busySince >= patience) {
      busySince = now
      const waiting = (yield* query.changes(undefined)).last - place
      if (waiting <= waitingAtMost) return
      behind = true
      yield* screen.note([
        `More comes than is shown: some ${waiting.toLocaleString("en-US")} spans wait. None is left out.`
      ])
    }
  })
})
