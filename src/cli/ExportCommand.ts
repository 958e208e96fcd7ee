/** `toolspan export`: the spans of calls, as other tools read them. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { callFlags, filterOf, inWords } from "./CallFlags.ts"
import { CommandFailure, NothingFound } from "./CommandFailure.ts"
import * as ExportFile from "./ExportFile.ts"
import { Screen } from "./Screen.ts"
import * as StopSignal from "./StopSignal.ts"
import * as StoredQuery from "./StoredQuery.ts"
import * as TraceExport from "./TraceExport.ts"

const parameters = {
  call: Argument.String("id").pipe(
    Argument.withDescription("The id or key of a call, exactly: the same as --id"),
    Argument.optional
  ),
  ...callFlags,
  trace: Flag.String("trace").pipe(
    Flag.withDescription("One trace, whole, by its id of 32 hex digits; without filters"),
    Flag.optional
  ),
  output: Flag.Path("output").pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("<file>"),
    Flag.withDescription("Write a new file. Default: standard output"),
    Flag.optional
  ),
  ...StoredQuery.placeFlags
}

/** Writes the whole traces of the calls that fit. */
export const exportCommand = Command.make(
  "export",
  parameters,
  Effect.fnUntraced(function*({ backend, call, data, output, trace, ...given }) {
    const screen = yield* Screen
    if (Option.isSome(call) && Option.isSome(given.id)) {
      return yield* new CommandFailure({ message: "The id is given twice: leave --id out" })
    }
    const filter = { ...given, id: Option.orElse(call, () => given.id) }
    const words = inWords(filter)
    if (Option.isSome(trace) && words !== "") {
      return yield* new CommandFailure({ message: `--trace gives one trace, whole: leave out ${words}` })
    }
    if (Option.isSome(trace) && !/^[0-9a-f]{32}$/i.test(trace.value)) {
      return yield* new CommandFailure({ message: `--trace takes a trace's id, 32 hex digits; this is ${trace.value}` })
    }
    const place = yield* StoredQuery.placeOf({ backend, data })
    const source = yield* place.open
    const traces = Option.isSome(trace)
      ? TraceExport.one(trace.value.toLowerCase())
      : TraceExport.ofCalls(source, yield* filterOf(filter))
    const stopped = yield* StopSignal.listen
    const target = yield* ExportFile.make(Option.getOrUndefined(output), screen)
    // A file that holds only a part would look like a whole one.
    const written = yield* Effect.raceFirst(
      TraceExport.write(source, traces, target),
      Effect.andThen(stopped, new CommandFailure({ message: "Stopped before everything was written" }))
    )
    if (written.spans === 0) {
      const what = Option.isSome(trace)
        ? `no trace ${trace.value}`
        : words === ""
        ? "no tool call"
        : `no tool call with ${words}`
      return yield* new NothingFound({ message: `There is ${what} in ${place.name}` })
    }
    if (!(yield* target.isRead)) return
    const count = (amount: number, noun: string) =>
      `${amount.toLocaleString("en-US")} ${noun}${amount === 1 ? "" : "s"}`
    yield* screen.note(StoredQuery.reservations(source, ["incoming", "fields"]))
    yield* screen.note([`Exported ${count(written.spans, "span")} of ${count(written.traces, "trace")}.`])
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Write the spans of tool calls as OTLP/JSON, one ExportTraceServiceRequest a line: the traces of the calls that fit, whole, "
      + "and those of the turns that used their results. Any OTLP receiver takes the lines at /v1/traces, toolspan dev too "
      + "(with --max-age none when they are old). "
      + "Exit code 0: found, 1: none, 2: wrong use or an error."
  ),
  Command.withShortDescription("Write the spans of tool calls as OTLP/JSON"),
  Command.withExamples([
    { command: "toolspan export toolu_01A09q90qw90lq917835lq9", description: "All spans of a call's story" },
    {
      command: "toolspan export --outcome failure --since 1d -o failures.jsonl",
      description: "What failed, into a file"
    },
    { command: "toolspan export --trace 0af7651916cd43dd8448eb211c80319c", description: "One trace" },
    {
      command:
        "toolspan export | while IFS= read -r line; do curl -H 'content-type: application/json' --data-binary @- http://127.0.0.1:4318/v1/traces <<< \"$line\"; done",
      description: "Send everything to another receiver"
    }
  ])
)
