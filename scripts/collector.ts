// Builds the collector of collector/builder.yaml into .cache/go/bin: `node scripts/collector.ts`. Minutes when nothing is cached.
// One that was built from the same manifest is left alone.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { bin, ensure } from "./programs.ts"

const manifest = path.resolve(import.meta.dirname, "../collector/builder.yaml")
const folder = path.resolve(bin, "../collector")

/** Builds the collector when it is not there; gives its path. */
export const ensureCollector = (): string => {
  const text = fs.readFileSync(manifest, "utf8")
  const binary = path.join(bin, "collector")
  const stamp = path.join(bin, "collector.yaml")
  if (fs.existsSync(binary) && fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === text) return binary
  const builder = ensure("builder")
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, "builder.yaml"), text)
  const done = spawnSync(builder, ["--config=builder.yaml"], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 })
  if (done.status !== 0) {
    throw new Error(`The collector could not be built: ${done.error?.message ?? done.stderr.slice(-2_000)}`)
  }
  fs.renameSync(path.join(folder, "_build/toolspan-otelcol"), binary)
  fs.writeFileSync(stamp, text)
  return binary
}

if (process.argv[1] === import.meta.filename) process.stdout.write(`${ensureCollector()}\n`)
