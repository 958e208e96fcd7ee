// What the tests stand on: a fresh build, and the older effect line in test/older with that build beside it.
// The build is copied there (not linked), so that its `import "effect"` finds the older line's copy.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "..")
const older = path.join(root, "test/older")
const modules = path.join(older, "node_modules")

const run = (command: string, args: ReadonlyArray<string>, cwd: string): void => {
  const done = spawnSync(command, args, { cwd, stdio: "inherit" })
  if (done.status !== 0) {
    process.stderr.write(`${command} ${args.join(" ")} failed in ${path.relative(root, cwd) || "."}\n`)
    process.exit(done.status ?? 1)
  }
}

run(process.execPath, ["scripts/build.ts"], root)

const lock = fs.readFileSync(path.join(older, "package-lock.json"), "utf8")
const stamp = path.join(modules, ".installed-lock.json")
if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== lock) {
  run("npm", ["ci", "--no-audit", "--no-fund"], older)
  fs.writeFileSync(stamp, lock)
}

const copy = path.join(modules, "toolspan")
fs.rmSync(copy, { recursive: true, force: true })
fs.mkdirSync(copy, { recursive: true })
fs.copyFileSync(path.join(root, "package.json"), path.join(copy, "package.json"))
fs.cpSync(path.join(root, "dist"), path.join(copy, "dist"), { recursive: true })
