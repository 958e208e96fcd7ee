/** A child process of the runner: runs the jobs of one effect line in order and writes a JSON line for each. */
import { writeSync } from "node:fs"
import { isSelected, jobsOf, readCases } from "./case-file.ts"
import { type Outcome, runJob } from "./job.ts"

const [folder = "", line = "", only = ""] = process.argv.slice(2)

/** One line on standard output. */
export interface Report extends Outcome {
  readonly name: string
  readonly label: string
  readonly millis: number
}

for (const { file, name } of readCases(folder)) {
  if (!isSelected(name, only)) continue
  for (const job of jobsOf(name, file).filter((job) => job.line === line)) {
    const start = performance.now()
    const label = `${job.index === 0 ? "" : "also "}${job.mode}`
    const outcome = await runJob(job).catch((error: unknown) => ({
      failures: [`the run itself failed: ${error instanceof Error ? error.stack ?? error.message : String(error)}`],
      onlyWords: [],
      unknown: [],
      tree: ""
    }))
    const report: Report = { name, label, ...outcome, millis: Math.round(performance.now() - start) }
    writeSync(1, `${JSON.stringify(report)}\n`)
  }
}
process.exit(0)
