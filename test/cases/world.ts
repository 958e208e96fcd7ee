/** A child process of the runner: runs the jobs of one effect line in order and writes a JSON line for each. */
import { setTimeout as sleep } from "node:timers/promises"
import { isSelected, jobsOf, readCases } from "./case-file.ts"
import { type Outcome, runJob } from "./job.ts"

const [folder = "", line = "", only = ""] = process.argv.slice(2)

/** One line on standard output. */
export interface Report extends Outcome {
  readonly name: string
  readonly label: string
  readonly millis: number
}

// Errors that nobody handles belong to the run that is going on.
const unhandled: Array<string> = []
const note = (error: unknown) =>
  void unhandled.push(`nobody handled: ${error instanceof Error ? error.stack : String(error)}`)
process.on("unhandledRejection", note)
process.on("uncaughtException", note)

const longest = 60_000

const inTime = async (outcome: Promise<Outcome>): Promise<Outcome> => {
  const late = new AbortController()
  const timer = sleep(longest, undefined, { signal: late.signal }).then(() => {
    throw new Error(`it did not end in ${longest / 1000} s`)
  })
  timer.catch(() => {})
  return await Promise.race([outcome, timer]).finally(() => late.abort())
}

for (const { file, name } of readCases(folder)) {
  if (!isSelected(name, only)) continue
  for (const job of jobsOf(name, file).filter((job) => job.line === line)) {
    const start = performance.now()
    const label = `${job.index === 0 ? "" : "also "}${job.mode}`
    const outcome = await inTime(runJob(job)).catch((error: unknown) => ({
      failures: [`the run itself failed: ${error instanceof Error ? error.stack ?? error.message : String(error)}`],
      onlyWords: [],
      unknown: [],
      tree: ""
    }))
    const failures = [...outcome.failures, ...unhandled.splice(0)]
    const report: Report = { name, label, ...outcome, failures, millis: Math.round(performance.now() - start) }
    process.stdout.write(`${JSON.stringify(report)}\n`)
  }
}
process.exit(0)
