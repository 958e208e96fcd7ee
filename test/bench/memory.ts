// A million calls, a tenth of them approvals that nobody answers: what is left in memory. Takes some five minutes.
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import process from "node:process"
import type { Report } from "../capture/boundsProgram.ts"

const program = path.join(import.meta.dirname, "../capture/boundsProgram.ts")

const calls = 1_000_000
const maxOpenCalls = 10_000
const maximumMegabytes = 20

/** Runs the calls in a process of their own, says how the heap grew, and fails when it grew too much. */
export const main = (json: boolean): Promise<void> => {
  const child = spawnSync(process.execPath, ["--expose-gc", program, `${calls}`, `${maxOpenCalls}`], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"]
  })
  if (child.status !== 0) throw new Error(`The program ended with ${child.status}.`)
  const report: Report = JSON.parse(child.stdout)
  const { heapMegabytes, seconds, stats } = report
  const told = [
    `${report.calls} calls in ${seconds} s; ${stats.openCalls} of ${maxOpenCalls} remembered, ${stats.evicted} let go`,
    ...heapMegabytes.map((megabytes, index) =>
      `  after ${((index + 1) * calls) / heapMegabytes.length} calls: +${megabytes.toFixed(2)} MB`
    )
  ]
  process.stdout.write(json ? child.stdout : `${told.join("\n")}\n`)
  const [first = Infinity, last = Infinity] = [heapMegabytes[0], heapMegabytes.at(-1)]
  const holds = stats.openCalls === maxOpenCalls && last < maximumMegabytes && last - first < 2
  if (!holds) process.exitCode = 1
  return Promise.resolve()
}
