// What the demo stands on, installed step by step: `npm run demo` and the tests of the demo share it.
// Plain JavaScript, because the first step runs on whatever Node is there, with nothing installed.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url))
export const demo = path.join(root, "examples/demo")

/** The Node of the project's own devDependencies: 24, which runs TypeScript as it stands. */
export const node = path.join(root, "node_modules/.bin/node")

/** The environment in which that Node comes first. */
export const environment = () => ({
  ...process.env,
  PATH: `${path.join(root, "node_modules/.bin")}${path.delimiter}${process.env["PATH"] ?? ""}`
})

/** Runs a command quietly; throws what it said when it fails. */
const run = (command, args, cwd) => {
  const done = spawnSync(command, args, { cwd, env: environment(), encoding: "utf8", maxBuffer: 1 << 26 })
  if (done.status === 0) return done.stdout
  const said = [done.error?.message, done.stdout, done.stderr].filter(Boolean).join("\n").trim()
  const where = path.relative(root, cwd) || "the project's folder"
  throw new Error(`\`${command} ${args.join(" ")}\` failed in ${where}:\n${said}`)
}

const readJson = (file) => fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined

/** Whether node_modules holds every package of the lock file, in its version. */
const isInstalled = (folder) => {
  const wanted = readJson(path.join(folder, "package-lock.json"))?.packages ?? {}
  const present = readJson(path.join(folder, "node_modules/.package-lock.json"))?.packages
  if (present === undefined) return false
  return Object.entries(wanted).every(([name, entry]) =>
    // Packages for other platforms are not installed here.
    name === "" || entry.optional === true || entry.devOptional === true || present[name]?.version === entry.version
  )
}

const install = (folder, say) => {
  if (isInstalled(folder)) return
  say(`npm ci in ${path.relative(root, folder) || "the project's folder"}`)
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], folder)
}

/** Installs the project's own packages and builds it. */
export const installProject = (say) => {
  install(root, say)
  say("npm run build")
  run("npm", ["run", "build"], root)
}

/**
 * Installs the demo's packages, and beside them toolspan from the tarball that `npm pack` makes of the build, as a user
 * would. A link would not do: toolspan would find the project's own Effect, and not the demo's.
 */
export const installDemo = (say) => {
  install(demo, say)
  const modules = path.join(demo, "node_modules")
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "demo-pack-"))
  try {
    const packed = JSON.parse(
      run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", temporary], root)
    )
    const [{ filename, integrity }] = Array.isArray(packed) ? packed : Object.values(packed)
    const stamp = path.join(modules, "toolspan/.integrity")
    if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === integrity) return
    say("npm install toolspan (packed from this folder) in examples/demo")
    // npm takes a tarball of the same name and version for the one that is there already.
    fs.rmSync(path.join(modules, "toolspan"), { recursive: true, force: true })
    run(
      "npm",
      ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", path.join(temporary, filename)],
      demo
    )
    fs.writeFileSync(stamp, integrity)
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true })
  }
}
