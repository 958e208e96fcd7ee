/** The folders with installed packages in which journeys run: toolspan from its tarball, as a user would have it. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { demo, environment, installDemo, root } from "../../scripts/demo-install.mjs"

/** The effect lines: `installed` is what stands beside toolspan. */
export type Line = "4.1.0" | "4.0.0-rc.112"

const npm = (args: ReadonlyArray<string>, cwd: string): string => {
  const done = spawnSync("npm", args, { cwd, env: environment(), encoding: "utf8", maxBuffer: 1 << 26 })
  if (done.status !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${done.stdout}\n${done.stderr}`)
  return done.stdout
}

const temporary = path.join(
  os.tmpdir(),
  `toolspan-journeys-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`
)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Test files run in several processes at once: one of them installs, the others wait. */
const alone = async <A>(use: () => A): Promise<A> => {
  fs.mkdirSync(temporary, { recursive: true })
  const lock = path.join(temporary, "lock")
  for (;;) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: "wx" })
      break
    } catch {
      const owner = Number(fs.existsSync(lock) ? fs.readFileSync(lock, "utf8") : "")
      if (owner > 0 && !isAlive(owner)) fs.rmSync(lock, { force: true })
      else await setTimeout(50)
    }
  }
  try {
    return use()
  } finally {
    fs.rmSync(lock, { force: true })
  }
}

const installNewer = (): string => {
  const folder = path.join(temporary, "effect-4.1.0")
  const stamp = path.join(folder, "integrity")
  const tarballs = fs.mkdtempSync(path.join(temporary, "pack-"))
  try {
    const packed = JSON.parse(npm(["pack", "--ignore-scripts", "--json", "--pack-destination", tarballs], root))
    const [{ filename, integrity }] = Array.isArray(packed) ? packed : Object.values<any>(packed)
    if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === integrity) return folder
    fs.mkdirSync(folder, { recursive: true })
    fs.rmSync(stamp, { force: true })
    // npm takes a tarball of the same name and version for the one that is there already.
    fs.rmSync(path.join(folder, "node_modules/toolspan"), { recursive: true, force: true })
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const packages = [path.join(tarballs, filename), "effect@4.1.0", "@effect/opentelemetry@4.1.0"]
    const options = ["--prefer-offline", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel=error"]
    npm(["install", ...options, ...packages], folder)
    fs.writeFileSync(stamp, integrity)
    return folder
  } finally {
    fs.rmSync(tarballs, { recursive: true, force: true })
  }
}

/** Installs the demo's folder, which is the older effect line with a provider package. */
export const installOlder = (): Promise<void> => alone(() => installDemo(() => {}))

/**
 * A folder of its own for the programs of one test file, beside installed packages.
 *
 * On the older line effect's modules have another path; that is all that differs in the programs.
 */
export const programs = async (line: Line): Promise<string> => {
  const home = await alone(() => {
    if (line === "4.1.0") return installNewer()
    installDemo(() => {})
    return path.join(demo, "node_modules")
  })
  const folder = fs.mkdtempSync(path.join(home, ".programs-"))
  const source = path.join(import.meta.dirname, "programs")
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }))
  for (const name of fs.readdirSync(source)) {
    const text = fs.readFileSync(path.join(source, name), "utf8")
    fs.writeFileSync(
      path.join(folder, name),
      line === "4.1.0" ? text : text.replaceAll(/"effect\/(ai|http|observability)\//g, "\"effect/unstable/$1/")
    )
  }
  return folder
}

/** Copies an installed package beside the programs in `folder/place`, so that those see a copy of their own. */
export const copyPackage = (folder: string, name: string, place: string): void => {
  const installed = path.join(
    path.dirname(folder),
    path.basename(path.dirname(folder)) === "node_modules" ? "" : "node_modules",
    name
  )
  fs.cpSync(installed, path.join(folder, place, "node_modules", name), {
    recursive: true,
    filter: (file) => !/\.(map|d\.ts)$|\/src(\/|$)/.test(file)
  })
}

/** Takes the folder of a test file away. */
export const remove = (folder: string): void => fs.rmSync(folder, { recursive: true, force: true })
