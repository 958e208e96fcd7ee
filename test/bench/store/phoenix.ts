/** Phoenix with its SQLite store, installed the first time it is asked for. */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import { answers, freePort, type Peer } from "./jaeger.ts"
import { peakMegabytes, stop } from "./programs.ts"

const version = "20.26.1"
const home = path.join(import.meta.dirname, "../../../.cache/bench/phoenix")

const install = (): string | undefined => {
  if (fs.existsSync(path.join(home, "bin/phoenix"))) return undefined
  const made = spawnSync("python3", ["-m", "venv", home], { encoding: "utf8" })
  const done = made.status === 0
    ? spawnSync(path.join(home, "bin/pip"), ["install", "-q", `arize-phoenix==${version}`], { encoding: "utf8" })
    : made
  return done.status === 0 ? undefined : done.error?.message ?? done.stderr.trim().split("\n").at(-1)
}

/** Starts Phoenix; a text says why there is none. */
export const start = async (folder: string): Promise<Peer | string> => {
  const failure = install()
  if (failure !== undefined) return `Phoenix could not be installed: ${failure}`
  const [port, rpc] = await Promise.all([freePort(), freePort()])
  const child = spawn(path.join(home, "bin/phoenix"), ["serve"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      PHOENIX_WORKING_DIR: folder,
      PHOENIX_HOST: "127.0.0.1",
      PHOENIX_PORT: String(port),
      PHOENIX_GRPC_PORT: String(rpc),
      PHOENIX_TELEMETRY_ENABLED: "false"
    }
  })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => said = (said + text).slice(-500))
  if (!await answers(`http://127.0.0.1:${port}/healthz`)) {
    await stop(child)
    return `Phoenix did not start: ${said}`
  }
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    // It acknowledges what is in its queue: what counts is what has reached its file.
    stored: () => {
      const database = new DatabaseSync(path.join(folder, "phoenix.db"), { readOnly: true, timeout: 5_000 })
      const { count } = database.prepare("select count(*) as count from spans").get() as { readonly count: number }
      database.close()
      return Promise.resolve(count)
    },
    peakMegabytes: () => peakMegabytes(child.pid ?? 0),
    [Symbol.asyncDispose]: () => stop(child)
  }
}
