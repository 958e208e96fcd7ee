/** `toolspan violations`: what is broken in the pairing of calls, results and approvals. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { faultKinds } from "../query/CallSearch.ts"
import { present } from "../query/Fact.ts"
import { ListedViolation } from "../query/Overview.ts"
import * as Column from "./Column.ts"
import { NothingFound } from "./CommandFailure.ts"
import * as Elapsed from "./Elapsed.ts"
import { inert } from "./InertText.ts"
import * as JsonLines from "./JsonLines.ts"
import { Screen } from "./Screen.ts"
import * as StoredQuery from "./StoredQuery.ts"
import type { Style } from "./Style.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const flags = {
  kind: Flag.Literals("kind", faultKinds).pipe(Flag.withDescription("The kind of the fault"), Flag.optional),
  id: text("id", "The id or key of the call that it names, exactly"),
  tool: text("tool", "The tool's name, exactly"),
  conversation: text("conversation", "The conversation's id, exactly"),
  limit: Flag.Int("limit").pipe(
    Flag.filter((limit) => limit >= 1 && limit <= 1000, () => "a number from 1 to 1,000"),
    Flag.withDescription("At most so many faults. Default: 20"),
    Flag.withDefault(20)
  ),
  cursor: text("cursor", "Go on where an earlier answer with the same filters ended"),
  ...StoredQuery.placeFlags,
  json: StoredQuery.jsonFlag
}

const json = JsonLines.of(ListedViolation)

/** Prints each fault with what it means, or as a JSON object a line. */
export const violationsCommand = Command.make(
  "violations",
  flags,
  Effect.fnUntraced(function*({ conversation, cursor, id, json: asJson, kind, limit, tool, ...places }) {
    const screen = yield* Screen
    const place = yield* StoredQuery.placeOf(places)
    const source = yield* place.open
    const { query } = source
    const given = Object.entries({ kind, id, tool, conversation }).flatMap(([name, value]) =>
      Option.isSome(value) ? [[name, value.value] as const] : []
    )
    const { kinds, next, total, violations } = yield* query.violations({
      ...Object.fromEntries(given),
      limit,
      ...present("cursor", Option.getOrUndefined(cursor))
    }).pipe(Effect.mapError(StoredQuery.failed))
    if (violations.length === 0) {
      const what = given.length === 0 ? "" : ` with ${given.map(([name, value]) => `${name} ${value}`).join(", ")}`
      return yield* new NothingFound({ message: `No fault${what} was reported in ${place.name}` })
    }
    if (asJson) yield* screen.print(yield* json(violations))
    else {
      yield* screen.print(violations.flatMap((violation) => lines(violation, screen.width, screen.style)))
      if (given.length === 0) {
        const counts = kinds.map(({ count, kind }) => `${count.toLocaleString("en-US")} ${inert(kind)}`).join(", ")
        yield* screen.print(["", ...Column.wrap(`In all: ${counts}`, screen.width)])
      }
    }
    yield* screen.note(StoredQuery.reservations(source, ["faults"]))
    if (next === undefined || !(yield* screen.isRead)) return
    yield* screen.note([
      "",
      `${violations.length} of ${total.toLocaleString("en-US")} faults; --limit shows more, --cursor ${next} goes on.`
    ])
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "List reported faults in the pairing of tool calls, results and approvals, the last reported first, each with what it "
      + "means and the call that it names. Exit code 0: found, 1: none, 2: wrong use or an error."
  ),
  Command.withShortDescription("List what is broken in the pairing of calls"),
  Command.withExamples([
    { command: "toolspan violations", description: "Every fault, and how often each kind was reported" },
    { command: "toolspan violations --kind approval_mismatch --json", description: "One kind, for a script" }
  ])
)

const lines = (violation: ListedViolation, width: number, style: Style): ReadonlyArray<string> => {
  const { at, conversation, explanation, id, key, kind, scope, span, tool } = violation
  const about = [
    ...(id === undefined && key === undefined ? ["no call named"] : [`call ${Column.fit(inert(id ?? key!), 120)}`]),
    ...(tool === undefined ? [] : [`tool ${Column.fit(inert(tool), 60)}`]),
    ...(scope === undefined ? [] : [`in the ${inert(scope)}`]),
    ...(conversation === undefined ? [] : [`conversation ${Column.fit(inert(conversation), 60)}`]),
    `trace ${span.traceId}`
  ]
  return [
    `${style.faint(Elapsed.shortMoment(at))}  ${style.red(Column.fit(inert(kind), width - 16))}`,
    ...Column.wrap(explanation, width - 4).map((line) => `    ${line}`),
    ...Column.wrap(about.join(" · "), width - 4).map((line) => `    ${style.faint(line)}`)
  ]
}
