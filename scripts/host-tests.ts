// `node scripts/host-tests.ts FOLDER`: the vitest tests of a package without toolspan and with `toolspan/auto`, compared.
//
// FOLDER is a package outside of this repository in which vitest, effect and toolspan (the packed tarball) are installed;
// its own vitest.config.ts, when it has one, holds. Every test must end as it does without.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import process from "node:process"

const folder = path.resolve(process.argv[2] ?? "")
if (process.argv[2] === undefined || !fs.existsSync(path.join(folder, "node_modules/toolspan"))) {
  process.stderr.write("Say a folder in which toolspan is installed: node scripts/host-tests.ts FOLDER\n")
  process.exit(2)
}

const own = fs.mkdtempSync(path.join(folder, ".host-tests-"))
process.on("exit", () => fs.rmSync(own, { recursive: true, force: true }))

const stats = path.join(own, "stats.jsonl")

// Setup files run before the modules of a test file are loaded: the module hooks are in time.
fs.writeFileSync(path.join(own, "auto.mjs"), "import \"toolspan/auto\"\n")
fs.writeFileSync(
  path.join(own, "stats.mjs"),
  `import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import * as Toolspan from "toolspan"
import { afterAll } from "vitest"
afterAll(() => fs.appendFileSync(${JSON.stringify(stats)}, JSON.stringify(Effect.runSync(Toolspan.stats)) + "\\n"))
`
)
const theirs = fs.existsSync(path.join(folder, "vitest.config.ts"))
  ? "import theirs from \"../vitest.config.ts\""
  : "const theirs = {}"
const config = (setupFiles: ReadonlyArray<string>): string =>
  `import { mergeConfig } from "vitest/config"
${theirs}
const ours = { test: { setupFiles: ${JSON.stringify(setupFiles)} } }
const all = mergeConfig(ours, theirs)
export default all
`

type Results = ReadonlyMap<string, string>

const run = (name: string, setupFiles: ReadonlyArray<string>): Results => {
  const file = path.join(own, `${name}.config.ts`)
  const report = path.join(own, `${name}.json`)
  fs.writeFileSync(file, config(setupFiles.map((setup) => path.join(own, setup))))
  const vitest = path.join(folder, "node_modules/vitest/vitest.mjs")
  const args = [vitest, "run", "--root", folder, "--config", file, "--reporter", "json", "--outputFile", report]
  spawnSync(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] })
  const results = new Map<string, string>()
  for (
    const { assertionResults, message, name: tested, status } of JSON.parse(fs.readFileSync(report, "utf8")).testResults
  ) {
    if (assertionResults.length === 0) results.set(tested, `${status} ${message}`)
    for (const one of assertionResults) {
      results.set(`${tested} > ${one.fullName}`, `${one.status} ${(one.failureMessages?.[0] ?? "").split("\n")[0]}`)
    }
  }
  return results
}

const counted = (results: Results): string => {
  const counts: Record<string, number> = {}
  for (const result of results.values()) {
    const status = result.split(" ")[0]!
    counts[status] = (counts[status] ?? 0) + 1
  }
  return Object.entries(counts).map(([status, count]) => `${count} ${status}`).join(", ")
}

const without = run("without", [])
const told = run("with", ["auto.mjs", "stats.mjs"])
const differing = [...new Set([...without.keys(), ...told.keys()])].filter((test) =>
  without.get(test) !== told.get(test)
)
const sum = (key: string): number =>
  fs.existsSync(stats)
    ? fs.readFileSync(stats, "utf8").trim().split("\n").reduce((total, line) => total + JSON.parse(line)[key], 0)
    : 0
process.stdout.write(`without: ${counted(without)}\nwith:    ${counted(told)}\n`)
process.stdout.write(
  `told: ${sum("turns")} turns, ${sum("executions")} executions; ${sum("internalErrors")} internal errors\n`
)
for (const test of differing) process.stdout.write(`${test}: ${without.get(test)} -> ${told.get(test)}\n`)
const holds = told.size > 0 && differing.length === 0 && sum("internalErrors") === 0 &&
  sum("turns") + sum("executions") > 0
process.exit(holds ? 0 : 1)
