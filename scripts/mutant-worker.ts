// Tries mutants in one process: each gets its own copies of the modules and tests that it can reach, and the rest (Effect
// above all) stays loaded. `mutants.ts` starts it, and ends it when a mutant never does.
import * as fs from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import * as path from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import { runTests } from "./mutant-tests.ts"
import type { Mutation } from "./mutation.ts"
import { mutated } from "./mutation.ts"

/** A change to try, with the test files that must notice it. No `mutation` tries the module as it is. */
export interface Trial {
  readonly id: number
  readonly file: string
  readonly mutation: Mutation | undefined
  readonly tests: ReadonlyArray<string>
}

/** What became of a trial: the test file that noticed, or how many tests did not. */
export interface Verdict {
  readonly id: number
  readonly noticedBy: string | undefined
  readonly reason: string
  readonly tests: number
}

const root = path.resolve(import.meta.dirname, "..")
const tree = process.argv[2] ?? root
const copied = ["src/lifecycle/", "src/pairing/", "test/"].map((folder) => pathToFileURL(path.join(tree, folder)).href)
const standIn = pathToFileURL(path.join(root, "scripts/mutant-tests.ts")).href

const stripped = new Map<string, string>()
const codeOf = (file: string): string => {
  let code = stripped.get(file)
  if (code === undefined) stripped.set(file, code = stripTypeScriptTypes(fs.readFileSync(file, "utf8")))
  return code
}

let trial: Trial | undefined

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === "@effect/vitest") return { url: standIn, shortCircuit: true }
    const resolved = next(specifier, context)
    if (trial === undefined || !copied.some((folder) => resolved.url.startsWith(folder))) return resolved
    return { ...resolved, url: `${resolved.url.split("?")[0]}?trial=${trial.id}` }
  },
  load: (url, context, next) => {
    if (!url.includes("?trial=")) return next(url, context)
    const file = new URL(url).pathname
    const code = codeOf(file)
    const source = trial?.mutation !== undefined && file === trial.file ? mutated(code, trial.mutation) : code
    return { format: "module", source, shortCircuit: true }
  }
})

const attempt = async (wanted: Trial): Promise<Verdict> => {
  trial = wanted
  let tests = 0
  for (const test of wanted.tests) {
    try {
      tests += await runTests(() => import(`${pathToFileURL(test).href}?trial=${wanted.id}`))
    } catch (error) {
      const reason = error instanceof Error ? error.message.split("\n")[0] ?? "" : String(error)
      return { id: wanted.id, noticedBy: test, reason, tests }
    }
  }
  return { id: wanted.id, noticedBy: undefined, reason: "", tests }
}

process.on("message", (wanted: Trial) => {
  void attempt(wanted).then((verdict) => process.send?.(verdict))
})
// A mutant may leave a rejection behind; it was tried already.
process.on("unhandledRejection", () => {})
