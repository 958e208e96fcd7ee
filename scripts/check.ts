// Every check that needs no running program, one after the other: `npm run check`, or `npm run check -- lint types`.
// All of them run, then the failed ones are named: one run tells everything there is to mend.
import { spawnSync } from "node:child_process"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "..")

interface Check {
  readonly name: string
  readonly command: ReadonlyArray<string>
}

const checks: ReadonlyArray<Check> = [
  { name: "prepare", command: ["node", "scripts/prepare-tests.ts"] },
  { name: "types", command: ["tsc", "-p", "tsconfig.json", "--noEmit"] },
  { name: "types-older", command: ["tsc", "-p", "test/older/tsconfig.json", "--noEmit"] },
  { name: "effect", command: ["effect-tsgo", "diagnostics", "--project", "tsconfig.json", "--strict"] },
  { name: "lint", command: ["oxlint", "--deny-warnings"] },
  { name: "format", command: ["dprint", "check"] },
  { name: "docs", command: ["node", "scripts/check-docs.ts"] },
  { name: "unused", command: ["knip"] },
  { name: "publint", command: ["publint", "--strict"] },
  { name: "package-types", command: ["attw", "--pack", ".", "--profile", "esm-only"] }
]

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !checks.some((check) => check.name === name))
if (unknown.length > 0) {
  process.stderr.write(
    `No such check: ${unknown.join(", ")}. There are: ${checks.map((check) => check.name).join(", ")}\n`
  )
  process.exit(2)
}

const env = {
  ...process.env,
  PATH: `${path.join(root, "node_modules/.bin")}${path.delimiter}${process.env["PATH"] ?? ""}`,
  // publint and attw pack the package: "prepare" has built it already.
  npm_config_ignore_scripts: "true"
}
const failed: Array<string> = []
for (const check of checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const [command = "", ...args] = check.command
  const started = performance.now()
  const done = spawnSync(command, args, { cwd: root, env, encoding: "utf8" })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const holds = done.status === 0
  process.stdout.write(`${holds ? "ok    " : "FAILED"} ${check.name} (${seconds} s)\n`)
  if (!holds) {
    failed.push(check.name)
    process.stdout.write(`${done.error?.message ?? ""}${done.stdout ?? ""}${done.stderr ?? ""}\n`)
  }
}
if (failed.length > 0) {
  process.stdout.write(`\nFailed: ${failed.join(", ")}\n`)
  process.exit(1)
}
