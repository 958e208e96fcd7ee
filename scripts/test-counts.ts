// Reads vitest's JSON reports and prints what they count as one closing line: `N passed, N failed`.
import * as fs from "node:fs"

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly success: boolean
}

const reports = process.argv.slice(2).map((file): Report => JSON.parse(fs.readFileSync(file, "utf8")))
const passed = reports.reduce((sum, report) => sum + report.numPassedTests, 0)
// A file that fails before its tests are known counts as one failed test.
const failed = reports.reduce(
  (sum, report) => sum + Math.max(report.numFailedTests, report.success ? 0 : 1),
  0
)
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = reports.length > 0 && failed === 0 && passed > 0 ? 0 : 1
