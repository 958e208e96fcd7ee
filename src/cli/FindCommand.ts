/** `toolspan find`: which tool calls there are. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ListedCall, pageAtMost, sorts } from "../query/CallSearch.ts"
import { present } from "../query/Fact.ts"
import { callFlags, filterOf, inWords } from "./CallFlags.ts"
import * as CallTable from "./CallTable.ts"
import { NothingFound } from "./CommandFailure.ts"
import * as JsonLines from "./JsonLines.ts"
import { Screen } from "./Screen.ts"
import * as StoredQuery from "./StoredQuery.ts"

const flags = {
  ...callFlags,
  sort: Flag.Literals("sort", sorts).pipe(
    Flag.withDescription("The order, the longest first for durations. Default: newest"),
    Flag.withDefault("newest" as const)
  ),
  limit: Flag.Int("limit").pipe(
    Flag.filter((limit) => limit >= 1 && limit <= 10_000, () => "a number from 1 to 10,000"),
    Flag.withDescription("At most so many calls. Default: 20"),
    Flag.withDefault(20)
  ),
  all: Flag.Boolean("all").pipe(
    Flag.withDescription("Every call that fits, whatever --limit says"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  cursor: Flag.String("cursor").pipe(
    Flag.withDescription("Go on where an earlier answer with the same filters ended"),
    Flag.optional
  ),
  ...StoredQuery.placeFlags,
  json: StoredQuery.jsonFlag
}

const json = JsonLines.of(ListedCall)

/** Prints a table, or a JSON object a line, of the calls that fit. */
export const findCommand = Command.make(
  "find",
  flags,
  Effect.fnUntraced(function*({ all, backend, cursor, data, json: asJson, limit, sort, ...filter }) {
    const screen = yield* Screen
    const place = yield* StoredQuery.placeOf({ backend, data })
    const source = yield* place.open
    const { query } = source
    const wanted = yield* filterOf(filter)
    const most = all ? Infinity : limit
    let shown = 0
    let total: number | undefined
    let next = Option.getOrUndefined(cursor)
    let widths: CallTable.Widths | undefined
    do {
      const page = yield* query.calls({
        ...wanted,
        sort,
        limit: Math.min(most - shown, pageAtMost),
        ...present("cursor", next)
      }).pipe(Effect.mapError(StoredQuery.failed))
      if (asJson) yield* screen.print(yield* json(page.calls))
      else if (page.calls.length > 0) {
        const first = widths === undefined
        widths = CallTable.widthsOf(page.calls, widths)
        yield* screen.print([
          ...(first ? [CallTable.titleLine(widths, screen.width, screen.style)] : []),
          ...CallTable.callLines(page.calls, widths, screen.width, screen.style)
        ])
      }
      shown += page.calls.length
      total = page.total
      next = page.next
    } while (next !== undefined && shown < most && (yield* screen.isRead))
    if (shown === 0) {
      return yield* new NothingFound({ message: `${nothing(inWords(filter))}${withDuration[sort]} in ${place.name}` })
    }
    yield* screen.note(StoredQuery.reservations(source, Option.isSome(filter.violation) ? ["faults"] : []))
    if (next === undefined || !(yield* screen.isRead)) return
    const count = shown.toLocaleString("en-US")
    const rest = total === undefined
      ? `${count} calls, and there are more`
      : `${count} of ${total.toLocaleString("en-US")} calls`
    yield* screen.note(["", `${rest}; --limit or --all shows more, --cursor ${next} goes on.`])
  }, Effect.scoped)
).pipe(
  Command.withDescription("List tool calls, the newest first. Exit code 0: found, 1: none, 2: wrong use or an error."),
  Command.withShortDescription("List tool calls"),
  Command.withExamples([
    { command: "toolspan find", description: "The newest calls" },
    { command: "toolspan find --tool send_email --state pending", description: "Calls that wait for a human" },
    { command: "toolspan find --outcome failure --since 2h --json", description: "What failed lately, for a script" },
    { command: "toolspan find --sort slowest --since 2026-03-01", description: "The slowest runs since a day" },
    { command: "toolspan find --text \"order 4711\"", description: "Calls whose captured content holds a text" },
    { command: "toolspan find --all --json | jq -r .tool | sort | uniq -c", description: "Every call, counted by tool" }
  ])
)

/** An order by duration lists only the calls that have one. */
const withDuration = {
  newest: "",
  oldest: "",
  slowest: " that ran",
  "longest-wait": " that waited for an answer"
} as const

const nothing = (given: string): string =>
  given === "" ? "There are no tool calls" : `There is no tool call with ${given}`
