/** `toolspan check`: what is broken in a history, before a provider says so. */
import { resolve } from "node:path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { HistoryFormat, Violation } from "../pairing/index.ts"
import { check, formatOf, fromPiSession } from "../pairing/index.ts"
import { hasEntry, isSession } from "../pairing/PiSession.ts"
import { present } from "../query/Fact.ts"
import * as Column from "./Column.ts"
import { CommandFailure, ViolationsFound } from "./CommandFailure.ts"
import * as HistoryFile from "./HistoryFile.ts"
import { pathsIn } from "./HistoryPath.ts"
import { inert, inertJson } from "./InertText.ts"
import { Screen } from "./Screen.ts"
import * as StoredQuery from "./StoredQuery.ts"
import type { Style } from "./Style.ts"

const formats: Readonly<Record<HistoryFormat, string>> = {
  effect: "an Effect prompt",
  anthropic: "an Anthropic Messages request",
  "chat-completions": "a chat completions request",
  responses: "a Responses request",
  pi: "a history of a pi agent"
}

const parameters = {
  // As a path, so that shells complete it; that makes it absolute, standard input too.
  file: Argument.Path("file").pipe(
    Argument.map((path) => path === resolve("-") ? "-" : path),
    Argument.withDescription(
      "A file with a history or a request body as JSON, or a session file of pi, or - for standard input"
    )
  ),
  format: Flag.Literals("format", ["effect", "anthropic", "chat-completions", "responses", "pi"]).pipe(
    Flag.withDescription("The form of the history. Default: found out"),
    Flag.optional
  ),
  leaf: Flag.String("leaf").pipe(
    Flag.withMetavar("<entry id>"),
    Flag.withDescription(
      "Of a session file of pi: the last entry of the branch to check. Default: the last of the file"
    ),
    Flag.optional
  ),
  json: StoredQuery.jsonFlag
}

/** Prints the violations of one history, as text or as a JSON object a line. */
export const checkCommand = Command.make(
  "check",
  parameters,
  Effect.fnUntraced(function*({ file, format: given, json, leaf: givenLeaf }) {
    const screen = yield* Screen
    const asked = Option.getOrUndefined(given)
    const history = yield* HistoryFile.read(file, {
      isText: () => asked === "pi"
    })
    const found = typeof history === "string" ? formatOfText(history) : formatOf(history)
    if (found === undefined) return yield* noHistory(HistoryFile.nameOf(file))
    const format = asked ?? found
    const leaf = Option.getOrUndefined(givenLeaf)
    if (leaf !== undefined && !(format === "pi" && hasEntry(history, leaf))) {
      return yield* new CommandFailure({
        message: `--leaf names an entry of a session file of pi; ${HistoryFile.nameOf(file)} has no entry ${leaf}.`
      })
    }
    const faults = yield* Effect.try({
      try: () => check(history, { format, ...present("leaf", leaf) }),
      catch: () =>
        new CommandFailure({
          message:
            `${HistoryFile.nameOf(file)} is ${formats[found]}; as ${formats[format]}, no call or result is seen in it. `
            + "Leave --format out."
        })
    })
    const pathOf = pathsIn(history, format, leaf)
    const violations = faults.map((violation) => ({ ...violation, path: pathOf(violation) }))
    if (json) yield* screen.print(violations.map((violation) => inertJson(JSON.stringify(violation))))
    const count = `${violations.length === 0 ? "no" : violations.length} violation${violations.length === 1 ? "" : "s"}`
    const told = `${HistoryFile.nameOf(file)}: ${formats[format]} with ${count}`
    if (violations.length === 0) return yield* json ? Effect.void : screen.print([inert(told)])
    if (!json) yield* screen.print(violations.flatMap((one) => linesOf(one, screen.width, screen.style)))
    return yield* new ViolationsFound({ message: told })
  })
).pipe(
  Command.withDescription(
    "Check that every tool call of a history has its one result, and everything else that a provider refuses. "
      + "Exit code 0: no violation, 1: violations, 2: wrong use, or no history."
  ),
  Command.withShortDescription("Check a history for broken pairs"),
  Command.withExamples([
    { command: "toolspan check request.json", description: "The body of a request that a provider refused" },
    { command: "toolspan check - --format effect --json < chat.json", description: "An exported chat, for a script" },
    {
      command: "toolspan check session.jsonl --format pi",
      description: "A session of a pi agent, as its model sees it"
    }
  ])
)

/** The text of a file that is no JSON, or a text as JSON: only a session of pi is a history, also an empty one. */
const formatOfText = (text: string): HistoryFormat | undefined =>
  isSession(text) || fromPiSession(text).length > 0 ? "pi" : undefined

const noHistory = (name: string) =>
  new CommandFailure({
    message: `${name} is no history: a list of messages, an Effect prompt, the body of an Anthropic Messages, `
      + "chat completions or Responses request, or the messages or session file of a pi agent was expected."
  })

interface Placed extends Violation {
  readonly path: string
}

const linesOf = (violation: Placed, width: number, style: Style): ReadonlyArray<string> => {
  const about = [
    violation.key ?? violation.id,
    violation.name,
    violation.otherName === undefined ? undefined : `(other name: ${violation.otherName})`,
    violation.approvalId === undefined ? undefined : `(approval ${violation.approvalId})`,
    violation.truncated === true ? "(cut off)" : undefined
  ].filter((text) => text !== undefined).join(" ")
  return [
    `${style.red(violation.kind)} ${style.bold(inert(about))}`,
    `  at ${style.faint(violation.path)}`,
    ...Column.wrap(violation.advice, width - 2).map((line) => `  ${line}`),
    ""
  ]
}
