import { assert, beforeAll, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { jobsOf, readCases } from "./case-file.ts"
import { runCases, type Verdict } from "./runner.ts"

const folder = fileURLToPath(new URL("./cases", import.meta.url))
const verdicts = new Map<string, Verdict>()
const cases = readCases(folder).filter(({ file, name }) => jobsOf(name, file).some((job) => job.line !== "none"))

describe("cases", () => {
  beforeAll(async () => {
    const broken = await runCases(folder, "", (verdict) => verdicts.set(verdict.name, verdict))
    assert.deepStrictEqual(broken, [])
  }, 120_000)

  it.each(cases.map(({ file, name }) => [name, file.title]))("%s: %s", (name) => {
    const failures = verdicts.get(name)?.reports.flatMap((report) =>
      report.failures.map((failure) => `${report.label}: ${failure}`)
    )
    assert.deepStrictEqual(failures, [])
  })
})
