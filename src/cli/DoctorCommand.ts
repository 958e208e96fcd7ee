/** `toolspan doctor`: whether an app's tool calls are traced, and what stands in the way. */
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { variables } from "../settings/environment.ts"
import { FaultsFound } from "./CommandFailure.ts"
import { exporterFindings } from "./ExporterFindings.ts"
import type { Finding } from "./Finding.ts"
import { linesOf, ok, warn } from "./Finding.ts"
import { inertJson } from "./InertText.ts"
import { installationFindings } from "./InstallationFindings.ts"
import type { Observed } from "./ObservedProgram.ts"
import { observe } from "./ObservedProgram.ts"
import { programFindings } from "./ProgramFindings.ts"
import { Screen } from "./Screen.ts"
import { settingFindings } from "./SettingFindings.ts"
import * as StoredQuery from "./StoredQuery.ts"
import { storeFindings } from "./StoreFindings.ts"

const parameters = {
  program: Argument.String("program").pipe(
    Argument.withDescription("After --: a program to run and to look into, such as node app.js"),
    Argument.variadic()
  ),
  data: StoredQuery.dataFlag,
  json: StoredQuery.jsonFlag
}

const ownFolder = fileURLToPath(new URL("../../", import.meta.url))

const endOf = ({ code, signal }: Observed): Finding =>
  signal !== null
    ? ok("program", `ended by ${signal}`)
    : code === 0
    ? ok("program", "ended with exit code 0")
    : warn("program", `ended with exit code ${code}`, "What it said of that stands above.")

/** Prints findings, as text or as a JSON object a line; fails when one of them does. */
export const doctorCommand = Command.make(
  "doctor",
  parameters,
  Effect.fnUntraced(function*({ data, json, program }) {
    const screen = yield* Screen
    const file = yield* StoredQuery.fileOf(data)
    const env = variables()
    const [command, ...args] = program
    const observed = command === undefined ? undefined : yield* observe(command, args, json)
    const findings: ReadonlyArray<Finding> = [
      ...installationFindings(process.cwd(), ownFolder),
      ...settingFindings(env),
      ...(yield* exporterFindings(env, file)),
      ...(yield* storeFindings(file)),
      ...(observed === undefined ? [] : [endOf(observed), ...programFindings(observed.reports)])
    ]
    const lines = json
      ? findings.map((finding) => inertJson(JSON.stringify(finding)))
      : findings.flatMap((finding) => linesOf(finding, screen.width, screen.style))
    // The program's output is its own: what is said of it for people goes beside it.
    yield* observed !== undefined && !json ? screen.note(lines) : screen.print(lines)
    const faults = findings.filter((finding) => finding.status === "fail").length
    if (faults > 0) return yield* new FaultsFound({ message: `${faults} of ${findings.length} findings fail` })
  })
).pipe(
  Command.withDescription(
    "Look at the versions, the settings, the exporter's endpoint (a test span is sent) and the data file, and with a program "
      + "after --, at what toolspan meets inside it. Exit code 0: nothing fails, 1: something fails, 2: wrong use."
  ),
  Command.withShortDescription("Find out why an app's tool calls are not traced"),
  Command.withExamples([
    { command: "toolspan doctor", description: "The app in this folder" },
    {
      command: "toolspan doctor --json -- node --import toolspan/register app.js",
      description: "The app as it runs, for a script"
    }
  ])
)
