/** `toolspan find`: which tool calls there are. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ListedCall, pageAtMost, sorts } from "../query/CallSearch.ts"
import { present } from "../query/Fact.ts"
import { callFlags, filterOf, inWords } from "./CallFlags.ts"
import { callTable } from "./CallTable.ts"
import { NothingFound } from "./CommandFailure.ts"
import { inertJson } from "./InertText.ts"
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
  cursor: Flag.String("cursor").pipe(
    Flag.withDescription("Go on where an earlier answer with the same filters ended"),
    Flag.optional
  ),
  data: StoredQuery.dataFlag,
  json: StoredQuery.jsonFlag
}

const encode = Schema.encodeEffect(ListedCall)

/** Prints a table, or a JSON object a line, of the calls that fit. */
export const findCommand = Command.make(
  "find",
  flags,
  Effect.fnUntraced(function*({ cursor, data, json, limit, sort, ...filter }) {
    const screen = yield* Screen
    const file = yield* StoredQuery.fileOf(data)
    const query = yield* StoredQuery.open(file)
    const wanted = filterOf(filter)
    const calls: Array<ListedCall> = []
    let next = Option.getOrUndefined(cursor)
    let total = 0
    do {
      const left = Math.min(limit - calls.length, pageAtMost)
      const page = yield* query.calls({ ...wanted, sort, limit: left, ...present("cursor", next) }).pipe(
        Effect.mapError(StoredQuery.failed)
      )
      calls.push(...page.calls)
      total = page.total
      next = page.next
    } while (next !== undefined && calls.length < limit)
    if (calls.length === 0) return yield* new NothingFound({ message: `${nothing(inWords(filter))} in ${file}` })
    if (json) {
      const lines = yield* Effect.forEach(calls, (call) => Effect.orDie(encode(call)))
      yield* screen.print(lines.map((line) => inertJson(JSON.stringify(line))))
    } else yield* screen.print(callTable(calls, screen.width, screen.style))
    if (next === undefined) return
    const rest = `${calls.length} of ${total.toLocaleString("en-US")} calls; --limit shows more`
    yield* screen.note(["", `${rest}, --cursor ${next} goes on.`])
  }, Effect.scoped)
).pipe(
  Command.withDescription("List tool calls, the newest first. Exit code 0: found, 1: none, 2: wrong use or an error."),
  Command.withShortDescription("List tool calls"),
  Command.withExamples([
    { command: "toolspan find", description: "The newest calls" },
    { command: "toolspan find --tool send_email --state pending", description: "Calls that wait for a human" },
    { command: "toolspan find --outcome failure --json", description: "Failed calls, for a script" },
    { command: "toolspan find --sort slowest --from 2026-03-01", description: "The slowest runs since a day" }
  ])
)

const nothing = (given: string): string =>
  given === "" ? "There are no tool calls" : `There is no tool call with ${given}`
