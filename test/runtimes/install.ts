/** The runtimes of package.json beside this file, installed in .cache/runtimes the first time and when it changed. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const manifest = path.join(import.meta.dirname, "package.json")

/** Where the runtimes are. */
export const folder = path.resolve(import.meta.dirname, "../../.cache/runtimes")

/** Before the tests. */
export default (): void => {
  const wanted = fs.readFileSync(manifest, "utf8")
  const stamp = path.join(folder, "installed.json")
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === wanted) return
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, "package.json"), wanted)
  const done = spawnSync("npm", ["install", "--no-package-lock", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8"
  })
  if (done.status !== 0) throw new Error(`The runtimes could not be installed:\n${done.stdout}\n${done.stderr}`)
  fs.writeFileSync(stamp, wanted)
}
