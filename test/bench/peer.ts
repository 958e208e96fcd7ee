// The AI SDK and its OpenTelemetry integration, installed beside this benchmark the first time it is asked for.
import type { Tracer } from "@opentelemetry/api"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const folder = path.join(import.meta.dirname, "peer")

/** A turn of the peer: told by the tracer, or by nobody. */
export type PeerTurn = (calls: number, streamed: boolean, tracer: Tracer | undefined) => () => Promise<void>

/** Loads the peer; `undefined` where it cannot be installed, with the reason on standard error. */
export const load = async (): Promise<PeerTurn | undefined> => {
  const lock = fs.readFileSync(path.join(folder, "package-lock.json"), "utf8")
  const stamp = path.join(folder, "node_modules/.installed-lock.json")
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, "utf8") !== lock) {
    const done = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, encoding: "utf8" })
    if (done.status !== 0) {
      process.stderr.write(`The peer could not be installed, there is nothing to compare with:\n${done.stderr}\n`)
      return undefined
    }
    fs.writeFileSync(stamp, lock)
  }
  const url: string = new URL("peer/turn.mjs", import.meta.url).href
  return ((await import(url)) as { readonly turn: PeerTurn }).turn
}
