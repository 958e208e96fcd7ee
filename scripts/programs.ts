// Builds the Go programs that tests run against, pinned by version, into .cache/go/bin: `node scripts/programs.ts promtool`.
// A program that is there in the wanted version is left alone. Cold, Prometheus' module takes minutes.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

interface Program {
  readonly module: string
  readonly version: string
  /** The folder of the program inside its module. */
  readonly folder: string
}

/** What can be built, and in which version. */
export const programs: Readonly<Record<string, Program>> = {
  promtool: { module: "github.com/prometheus/prometheus", version: "v0.316.0", folder: "cmd/promtool" }
}

const bin = path.resolve(import.meta.dirname, "../.cache/go/bin")

const isBuilt = (file: string, { module, version }: Program): boolean => {
  if (!fs.existsSync(file)) return false
  const told = spawnSync("go", ["version", "-m", file], { encoding: "utf8" }).stdout ?? ""
  return told.split("\n").some((line) => {
    const [kind, name, built] = line.trim().split(/\s+/)
    return kind === "mod" && name === module && built === version
  })
}

/** Builds a program when it is not there; gives its path. */
export const ensure = (name: string): string => {
  const program = programs[name]
  if (program === undefined) throw new Error(`No program ${name}. There are: ${Object.keys(programs).join(", ")}`)
  const file = path.join(bin, name)
  if (isBuilt(file, program)) return file
  fs.mkdirSync(bin, { recursive: true })
  const built = spawnSync("go", ["install", `${program.module}/${program.folder}@${program.version}`], {
    encoding: "utf8",
    env: { ...process.env, GOBIN: bin }
  })
  if (built.status !== 0 || !isBuilt(file, program)) {
    throw new Error(`${name} could not be built: ${built.error?.message ?? built.stderr.slice(-2_000)}`)
  }
  return file
}

if (process.argv[1] === import.meta.filename) {
  const wanted = process.argv.slice(2)
  for (const name of wanted.length === 0 ? Object.keys(programs) : wanted) process.stdout.write(`${ensure(name)}\n`)
}
