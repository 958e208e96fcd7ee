/**
 * `npm run cases -- FOLDER [--only 24,36] [--verbose]`: runs every case of a folder and says which ones hold.
 *
 * Exit code 0 when all hold, 1 when one does not, 2 when the folder cannot be run.
 */
import { parseArgs } from "node:util"
import { runCases, type Verdict } from "./runner.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "" }, verbose: { type: "boolean", default: false } }
})
const folder = positionals[0]
if (folder === undefined) {
  process.stderr.write("usage: npm run cases -- FOLDER [--only 24,36] [--verbose]\n")
  process.exit(2)
}

let [held, run, external] = [0, 0, 0]

const print = (verdict: Verdict): void => {
  const stack = verdict.external ? "checked in the stack tests, not here" : undefined
  if (verdict.external) external++
  if (verdict.jobs === 0) {
    process.stdout.write(`external ${verdict.name}: ${stack}\n`)
    return
  }
  run++
  const failures = verdict.reports.flatMap((report) => report.failures.map((failure) => `${report.label}: ${failure}`))
  if (failures.length === 0) held++
  const unknown = new Set(verdict.reports.flatMap((report) => report.unknown))
  const also = [
    ...(stack === undefined ? [] : [` (its external run is ${stack})`]),
    ...[...unknown].map((words) => ` (run plainly, this runner has no meaning for ${words})`)
  ].join("")
  process.stdout.write(
    failures.length === 0 ? `ok ${verdict.name}${also}\n` : `FAIL ${verdict.name}${also}: ${failures.join("\n     ")}\n`
  )
  if (!values.verbose) return
  for (const report of verdict.reports) {
    process.stdout.write(`  ${report.label}, ${report.millis} ms\n${report.tree}\n`)
    for (const text of report.onlyWords) process.stdout.write(`  in words only, not checked here: ${text}\n`)
  }
}

const broken = await runCases(folder, values.only, print).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(2)
})
for (const text of broken) process.stderr.write(`${text}\n`)
if (external > 0) {
  process.stdout.write(`${external} with an external run, checked in the stack tests against the real backends\n`)
}
process.stdout.write(`${held} of ${run} hold\n`)
if (run + external === 0) process.stderr.write(`no case in ${folder}\n`)
process.exitCode = broken.length > 0 || run + external === 0 ? 2 : held === run ? 0 : 1
