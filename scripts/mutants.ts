// How many small faults the tests of `src/lifecycle` and `src/pairing` notice: `npm run mutants`, or
// `npm run mutants -- pairing/Walk --survivors` for the modules whose path holds the text, with what nobody noticed.
import { type ChildProcess, fork } from "node:child_process"
import * as fs from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import * as path from "node:path"
import type { Trial, Verdict } from "./mutant-worker.ts"
import { mutationsOf } from "./mutation.ts"

const needed = 0.85
const parallel = 2
/** A worker keeps every copy it made: it starts anew before they weigh. */
const trialsOfWorker = 150

const root = path.resolve(import.meta.dirname, "..")

/** A copy, so that an edit while the mutants are tried does not count as a test that noticed. */
const tree = path.join(root, ".cache/mutants", String(process.pid))
const untried = new Set(["older", "package", "journeys", "bench", "node_modules", "__snapshots__"])
for (const folder of ["src", "test"]) {
  fs.cpSync(path.join(root, folder), path.join(tree, folder), {
    recursive: true,
    filter: (source) => !untried.has(path.basename(source))
  })
}
process.on("exit", () => fs.rmSync(tree, { recursive: true, force: true }))
const texts = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const showsSurvivors = process.argv.includes("--survivors")

const filesIn = (folder: string, ending: string): ReadonlyArray<string> =>
  fs.readdirSync(path.join(tree, folder)).filter((name) => name.endsWith(ending)).toSorted()
    .map((name) => path.join(tree, folder, name))

/** Tests of time, and of the host, say little about one operator and take long. */
const unrelated = new Set(["linear.test.ts", "host.test.ts"])

const testsOf = (folder: string): ReadonlyArray<string> =>
  filesIn(`test/${folder}`, ".test.ts").filter((file) => !unrelated.has(path.basename(file)))

/** The tests of the module's own name first. */
const ordered = (tests: ReadonlyArray<string>, file: string): ReadonlyArray<string> => {
  const own = path.basename(file, ".ts")
  return tests.toSorted((one, two) =>
    Number(!path.basename(one).startsWith(`${own}.`)) - Number(!path.basename(two).startsWith(`${own}.`))
  )
}

class Worker {
  #child: ChildProcess | undefined
  #count = 0

  async run(trial: Trial, limitMillis: number): Promise<Verdict> {
    if (this.#count >= trialsOfWorker) this.end()
    this.#count++
    const child = this.#child ??= fork(path.join(import.meta.dirname, "mutant-worker.ts"), [tree], {
      execArgv: ["--max-old-space-size=1024", "--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "ignore", "ipc"]
    })
    const verdict = await new Promise<Verdict>((resolve) => {
      const settle = (verdict: Verdict): void => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(verdict)
      }
      const lost = (reason: string): void => {
        this.end()
        settle({ id: trial.id, noticedBy: reason, reason, tests: 0 })
      }
      const timer = setTimeout(() => lost("time limit"), limitMillis)
      child.on("message", (message) => settle(message as Verdict))
      child.on("exit", () => lost("end of the process"))
      child.send(trial)
    })
    return verdict
  }

  end(): void {
    this.#child?.removeAllListeners()
    this.#child?.kill("SIGKILL")
    this.#child = undefined
    this.#count = 0
  }
}

interface Module {
  readonly file: string
  readonly code: string
  readonly tests: ReadonlyArray<string>
}

const modules = ["lifecycle", "pairing"].flatMap((folder): ReadonlyArray<Module> => {
  const tests = testsOf(folder)
  return filesIn(`src/${folder}`, ".ts").map((file) => ({
    file,
    code: stripTypeScriptTypes(fs.readFileSync(file, "utf8")),
    tests: ordered(tests, file)
  }))
}).filter(({ file }) => texts.length === 0 || texts.some((text) => file.includes(text)))

process.removeAllListeners("warning")

let ids = 0
const trials = modules.flatMap(({ code, file, tests }) =>
  mutationsOf(code).map((mutation): Trial => ({ id: ++ids, file, mutation, tests }))
)

const workers = Array.from({ length: parallel }, () => new Worker())

/** The tests must pass without a mutant, before and after, or every mutant would count as noticed. */
const passWithout = async (): Promise<void> => {
  for (const folder of ["lifecycle", "pairing"]) {
    const whole = await workers[0]!.run({ id: ++ids, file: "", mutation: undefined, tests: testsOf(folder) }, 60_000)
    if (whole.noticedBy === undefined) continue
    process.stderr.write(`The tests fail without a mutant: ${whole.noticedBy}: ${whole.reason}\n`)
    for (const worker of workers) worker.end()
    process.exit(2)
  }
}

const started = performance.now()
await passWithout()
const limitMillis = Math.max(5000, 3 * (performance.now() - started))

const survivors: Array<Trial> = []
const counts = new Map<string, { killed: number; total: number }>()
let next = 0
const work = async (worker: Worker): Promise<void> => {
  for (let trial = trials[next++]; trial !== undefined; trial = trials[next++]) {
    const { noticedBy } = await worker.run(trial, limitMillis)
    const name = path.relative(tree, trial.file)
    const count = counts.get(name) ?? { killed: 0, total: 0 }
    counts.set(name, count)
    count.total++
    if (noticedBy === undefined) survivors.push(trial)
    else count.killed++
  }
  worker.end()
}
await Promise.all(workers.map(work))
await passWithout()
workers[0]!.end()

const share = (killed: number, total: number): string => `${(100 * killed / total).toFixed(1)} %`

for (const [name, { killed, total }] of [...counts].toSorted(([one], [two]) => one.localeCompare(two))) {
  process.stdout.write(
    `${name.padEnd(40)} ${String(killed).padStart(5)} / ${String(total).padEnd(5)} ${share(killed, total)}\n`
  )
}
if (showsSurvivors) {
  for (const { file, mutation } of survivors.toSorted((one, two) => one.id - two.id)) {
    const code = modules.find((module) => module.file === file)?.code ?? ""
    const { end, replacement, start } = mutation!
    const line = code.slice(0, start).split("\n").length
    const original = code.slice(start, end).replace(/\s+/g, " ").slice(0, 60)
    process.stdout.write(`${path.relative(tree, file)}:${line}  ${original}  →  ${replacement}\n`)
  }
}
const total = trials.length
const killed = total - survivors.length
const seconds = ((performance.now() - started) / 1000).toFixed(0)
process.stdout.write(`\n${killed} of ${total} mutants killed: ${share(killed, total)} (${seconds} s)\n`)
process.exitCode = total > 0 && killed / total >= needed ? 0 : 1
