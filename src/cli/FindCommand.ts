/** `toolspan find`: which tool calls there are. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ToolCall } from "../query/ToolCall.ts"
import * as Attribute from "../semconv/attribute.ts"
import { attributes } from "../semconv/registry.ts"
import { callTable } from "./CallTable.ts"
import { NothingFound } from "./CommandFailure.ts"
import { inertJson } from "./InertText.ts"
import { Screen } from "./Screen.ts"
import * as StoredQuery from "./StoredQuery.ts"

/** The values that the contract has for an attribute. */
const valuesOf = (key: string): ReadonlyArray<string> =>
  attributes.find((attribute) => attribute.key === key)?.values ?? []

const flags = {
  id: Flag.String("id").pipe(Flag.withDescription("The call's id or key, exactly"), Flag.optional),
  tool: Flag.String("tool").pipe(Flag.withDescription("The tool's name, exactly"), Flag.optional),
  state: Flag.Literals("state", valuesOf(Attribute.toolspanApprovalState)).pipe(
    Flag.withDescription("The state of its approval"),
    Flag.optional
  ),
  outcome: Flag.Literals("outcome", valuesOf(Attribute.toolspanOutcome)).pipe(
    Flag.withDescription("How it ended"),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.filter((limit) => limit >= 1 && limit <= 10_000, () => "a number from 1 to 10,000"),
    Flag.withDescription("At most so many calls, the newest first. Default: 20"),
    Flag.withDefault(20)
  ),
  data: StoredQuery.dataFlag,
  json: StoredQuery.jsonFlag
}

const encode = Schema.encodeEffect(ToolCall)

/** Prints a table, or a JSON object a line, of the calls that fit. */
export const findCommand = Command.make(
  "find",
  flags,
  Effect.fnUntraced(function*({ data, json, limit, ...filter }) {
    const screen = yield* Screen
    const file = yield* StoredQuery.fileOf(data)
    const query = yield* StoredQuery.open(file)
    const wanted = { ...optionals(filter), limit }
    const calls = yield* query.find(wanted).pipe(Effect.mapError(StoredQuery.failed))
    if (calls.length === 0) return yield* new NothingFound({ message: `${nothing(wanted)} in ${file}` })
    if (json) {
      const lines = yield* Effect.forEach(calls, (call) => Effect.orDie(encode(call)))
      return yield* screen.print(lines.map((line) => inertJson(JSON.stringify(line))))
    }
    yield* screen.print(callTable(calls, screen.width, screen.style))
    if (calls.length === limit) yield* screen.note(["", `These are the newest ${limit}; --limit shows more.`])
  }, Effect.scoped)
).pipe(
  Command.withDescription("List tool calls, the newest first. Exit code 0: found, 1: none, 2: wrong use or an error."),
  Command.withShortDescription("List tool calls"),
  Command.withExamples([
    { command: "toolspan find", description: "The newest calls" },
    { command: "toolspan find --tool send_email --state pending", description: "Calls that wait for a human" },
    { command: "toolspan find --outcome failure --json", description: "Failed calls, for a script" }
  ])
)

type Optionals = Readonly<Record<"id" | "tool" | "state" | "outcome", Option.Option<string>>>

const optionals = ({ id, outcome, state, tool }: Optionals) => ({
  id: Option.getOrUndefined(id),
  tool: Option.getOrUndefined(tool),
  state: Option.getOrUndefined(state),
  outcome: Option.getOrUndefined(outcome)
})

const nothing = (wanted: ReturnType<typeof optionals>): string => {
  const given = (["id", "tool", "state", "outcome"] as const).flatMap((name) =>
    wanted[name] === undefined ? [] : [`${name} ${wanted[name]}`]
  )
  return given.length === 0 ? "There are no tool calls" : `There is no tool call with ${given.join(", ")}`
}
