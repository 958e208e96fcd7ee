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
  /** What its go.mod replaces: `go install` refuses such a module, a module of ours with the same line builds it. */
  readonly replace?: string
}

/** What can be built, and in which version. */
export const programs: Readonly<Record<string, Program>> = {
  prometheus: { module: "github.com/prometheus/prometheus", version: "v0.316.0", folder: "cmd/prometheus" },
  promtool: { module: "github.com/prometheus/prometheus", version: "v0.316.0", folder: "cmd/promtool" },
  "compose-spec": { module: "github.com/compose-spec/compose-go/v2", version: "v2.16.2", folder: "cmd" },
  builder: { module: "go.opentelemetry.io/collector/cmd/builder", version: "v0.161.0", folder: "" },
  jaeger: {
    module: "github.com/jaegertracing/jaeger",
    version: "v1.76.0",
    folder: "cmd/jaeger",
    replace: "github.com/Shopify/sarama => github.com/Shopify/sarama v1.33.0"
  }
}

/** Where they are. */
export const bin = path.resolve(import.meta.dirname, "../.cache/go/bin")

const isBuilt = (file: string, { module, version }: Program): boolean => {
  if (!fs.existsSync(file)) return false
  const told = spawnSync("go", ["version", "-m", file], { encoding: "utf8" }).stdout ?? ""
  return told.split("\n").some((line) => {
    const [kind, name, built] = line.trim().split(/\s+/)
    return (kind === "mod" || kind === "dep") && name === module && built === version
  })
}

/** Installs a program; `go install` calls it by its folder's name. */
const install = (name: string, { folder, module, version }: Program) => {
  const called = path.posix.basename(path.posix.join(module, folder))
  const own = path.resolve(bin, "..", name)
  const done = spawnSync("go", ["install", `${path.posix.join(module, folder)}@${version}`], {
    encoding: "utf8",
    env: { ...process.env, GOBIN: own }
  })
  if (done.status === 0) fs.renameSync(path.join(own, called), path.join(bin, name))
  return done
}

/** Builds a program as the tool of a module that replaces what the program's own module does. */
const buildReplacing = (name: string, { folder, module, version }: Program, replace: string) => {
  const cwd = path.resolve(bin, "..", name)
  fs.mkdirSync(cwd, { recursive: true })
  const lines = ["module toolspan.test/programs", "go 1.24", `replace ${replace}`, `tool ${module}/${folder}`]
  fs.writeFileSync(path.join(cwd, "go.mod"), `${[...lines, `require ${module} ${version}`].join("\n\n")}\n`)
  const tidied = spawnSync("go", ["mod", "tidy"], { cwd, encoding: "utf8" })
  return tidied.status === 0
    ? spawnSync("go", ["build", "-trimpath", "-ldflags=-s -w", "-o", path.join(bin, name), `${module}/${folder}`], {
      cwd,
      encoding: "utf8"
    })
    : tidied
}

/** Builds a program when it is not there; gives its path. */
export const ensure = (name: string): string => {
  const program = programs[name]
  if (program === undefined) throw new Error(`No program ${name}. There are: ${Object.keys(programs).join(", ")}`)
  const file = path.join(bin, name)
  if (isBuilt(file, program)) return file
  fs.mkdirSync(bin, { recursive: true })
  const built = program.replace === undefined
    ? install(name, program)
    : buildReplacing(name, program, program.replace)
  if (built.status !== 0 || !isBuilt(file, program)) {
    throw new Error(`${name} could not be built: ${built.error?.message ?? built.stderr.slice(-2_000)}`)
  }
  return file
}

if (process.argv[1] === import.meta.filename) {
  const wanted = process.argv.slice(2)
  for (const name of wanted.length === 0 ? Object.keys(programs) : wanted) process.stdout.write(`${ensure(name)}\n`)
}
