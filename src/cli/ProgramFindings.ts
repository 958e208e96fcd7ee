/** What a program told from inside while it ran. */
import type { LoadedCopy, ProgramReport } from "../boot/programReport.ts"
import type { Finding } from "./Finding.ts"
import { fail, ok, warn } from "./Finding.ts"

const listed = (copies: ReadonlyArray<LoadedCopy>): string =>
  copies.map(({ folder, version }) => `${version} in ${folder}`).join("; ")

const way = "Start it with --import toolspan/register (also in NODE_OPTIONS), or import toolspan/auto first of all."

const copiesOf = (report: ProgramReport, name: string): ReadonlyArray<LoadedCopy> =>
  report.copies.filter((copy) => copy.name === name)

const effect = (report: ProgramReport): Finding => {
  const copies = copiesOf(report, "effect")
  return copies.length === 0
    ? warn("effect in the program", "was not loaded", "A bundled effect cannot be seen here, nor reached by hooks.")
    : copies.length === 1
    ? ok("effect in the program", listed(copies))
    : warn(
      "effect in the program",
      `${copies.length} copies: ${listed(copies)}`,
      "npm dedupe, or an override, leaves one."
    )
}

const hooks = (report: ProgramReport): ReadonlyArray<Finding> => {
  const about = "hooks in the program"
  const copies = copiesOf(report, "effect")
  if (!report.moduleHook && !copies.some((copy) => copy.serviceHook)) {
    return [
      report.turns === undefined
        ? fail(about, "none: toolspan is not in this program", way)
        : warn(about, "none: only what the code instruments itself is traced", way)
    ]
  }
  return [
    report.linkedEarly
      ? warn(
        about,
        "came too late for effect's AI modules: no span of a request, none of a manual handle",
        "--import toolspan/register comes before every module; toolspan/auto must be the first import."
      )
      : ok(about, report.moduleHook ? "in place" : "services only: this runtime has no synchronous module hooks")
  ]
}

const openTelemetry = (report: ProgramReport): ReadonlyArray<Finding> => {
  if (report.provider === undefined) {
    return [
      copiesOf(report, "effect").some((copy) => copy.defaultTracer)
        ? fail("tracer in the program", "no OpenTelemetry provider is registered", way)
        : warn(
          "tracer in the program",
          "no OpenTelemetry provider is registered: spans go where the app's own Effect tracer sends them",
          "Without a tracer of its own it has none: toolspan/register gives it one."
        )
    ]
  }
  return [
    ok("tracer in the program", `${report.provider}, API ${report.apiVersion ?? "?"}`),
    report.contextManager === undefined
      ? warn(
        "context manager in the program",
        "none: spans of other OpenTelemetry instrumentations do not nest",
        "The OpenTelemetry Node SDK brings one."
      )
      : ok("context manager in the program", report.contextManager)
  ]
}

const seen = (report: ProgramReport): ReadonlyArray<Finding> => {
  const { executions = 0, internalErrors = 0, turns = 0 } = report
  return [
    turns + executions > 0
      ? ok("seen in the program", `${turns} turns, ${executions} executions`)
      : warn("seen in the program", "no turn and no execution", "Let it make one: then the whole way has been tried."),
    ...(internalErrors === 0
      ? []
      : [fail("faults in toolspan", `${internalErrors}, kept away from the app`, "Please report it.")])
  ]
}

const process = (report: ProgramReport, several: boolean): ReadonlyArray<Finding> => {
  const findings: ReadonlyArray<Finding> = [
    ...(report.ended
      ? []
      : [warn("end of the program", "killed, or ended by a signal", "What it told is from a second before, at most.")]),
    effect(report),
    ...hooks(report),
    ...openTelemetry(report),
    ...seen(report)
  ]
  return several
    ? findings.map((finding) => ({ ...finding, about: `${finding.about} ${report.program ?? ""} (${report.pid})` }))
    : findings
}

/** Findings about each process of a program that ran effect, or about the only one. */
export const programFindings = (reports: ReadonlyArray<ProgramReport>): ReadonlyArray<Finding> => {
  if (reports.length === 0) {
    return [
      fail(
        "program",
        "told nothing from inside",
        "Node 22.15 or newer, Bun and Deno can be asked; is it a program of one of them?"
      )
    ]
  }
  const withEffect = reports.filter((report) => copiesOf(report, "effect").length > 0)
  const told = withEffect.length > 0 ? withEffect : reports.slice(0, 1)
  return told.flatMap((report) => process(report, told.length > 1))
}
