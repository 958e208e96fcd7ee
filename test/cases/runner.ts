/** Starts the worlds of a folder of cases and gathers what they report. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { isSelected, type Job, jobsOf, readCases } from "./case-file.ts"
import type { Report } from "./world.ts"

/** A case, when all its runs are in. */
export interface Verdict {
  readonly name: string
  readonly reports: ReadonlyArray<Report>
  /** It has runs that only the stack tests can check, against a real collector or backend. */
  readonly external: boolean
  readonly jobs: number
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

// Settings of the machine that the runner is started on are no part of a case.
const ownEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([key]) => !/^(OTEL_|TOOLSPAN_|NODE_OPTIONS$)/.test(key))
)

const runWorld = (
  folder: string,
  line: Job["line"],
  only: string,
  report: (report: Report) => void
): Promise<string | undefined> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ["--import", path("./line.ts"), path("./world.ts"), folder, line, only], {
      env: {
        ...ownEnvironment,
        NODE_NO_WARNINGS: "1",
        ...(line === "older" ? { CASES_PACKAGES: path("../older") } : undefined)
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let errors = ""
    child.stderr.on("data", (chunk: Buffer) => errors += chunk.toString("utf8"))
    const lines = createInterface({ input: child.stdout })
    lines.on("line", (text) => {
      if (text.startsWith("{\"name\":")) report(JSON.parse(text))
    })
    child.on("close", (code) => resolve(code === 0 ? undefined : `the ${line} world ended with ${code}: ${errors}`))
  })

/**
 * Runs every case of the folder; `only` is a list of numbers with commas, or "". `each` is told a verdict as soon as
 * all runs of its case are in. Answers with what kept a world from running, if anything did.
 */
export const runCases = async (
  folder: string,
  only: string,
  each: (verdict: Verdict) => void
): Promise<ReadonlyArray<string>> => {
  const open = new Map<string, { reports: Array<Report>; jobs: number; external: boolean }>()
  for (const { file, name } of readCases(folder)) {
    if (!isSelected(name, only)) continue
    const jobs = jobsOf(name, file)
    open.set(name, {
      reports: [],
      jobs: jobs.filter((job) => job.line !== "none").length,
      external: jobs.some((job) => job.line === "none")
    })
  }
  const tell = (name: string) => {
    const one = open.get(name)
    if (one === undefined || one.reports.length < one.jobs) return
    open.delete(name)
    each({ name, ...one })
  }
  for (const name of open.keys()) tell(name)
  const add = (report: Report) => {
    open.get(report.name)?.reports.push(report)
    tell(report.name)
  }
  const broken = await Promise.all([runWorld(folder, "older", only, add), runWorld(folder, "newer", only, add)])
  for (const [name, one] of open) {
    const lost = {
      name,
      label: "lost",
      failures: ["a run never came back"],
      onlyWords: [],
      unknown: [],
      tree: "",
      millis: 0
    }
    each({ name, ...one, reports: [...one.reports, lost] })
  }
  return broken.filter((text) => text !== undefined)
}
