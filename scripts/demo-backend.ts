// The local backend of the demo: `toolspan dev` as a process of its own, on a port that is free, with a database of its own.
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

export interface Backend {
  /** Where it takes OTLP/HTTP. */
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
  /** Lets it outlive this process. */
  readonly keep: () => void
}

const isReachable = (url: string): Promise<boolean> => fetch(url).then(() => true, () => false)

/** How long the backend may take to say its address; it takes well under a second. */
const patience = 20_000

const addressOf = async (child: ChildProcess, log: string): Promise<string> => {
  const deadline = performance.now() + patience
  while (performance.now() < deadline) {
    const said = fs.readFileSync(log, "utf8")
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)
    if (address !== null) return address[0]
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`The local backend did not start:\n${said}`)
    }
    await sleep(25)
  }
  child.kill()
  throw new Error(
    `The local backend did not say its address within ${patience / 1000} s:\n${fs.readFileSync(log, "utf8")}`
  )
}

/** Starts the backend on an empty database in `folder`, unless one that an earlier demo kept still uses it. */
export const startBackend = async (cli: string, folder: string): Promise<Backend> => {
  const note = path.join(folder, "backend.json")
  if (fs.existsSync(note)) {
    const { pid, url } = JSON.parse(fs.readFileSync(note, "utf8")) as { readonly pid: number; readonly url: string }
    if (await isReachable(url)) {
      throw new Error(`A backend of an earlier demo still runs at ${url}. Stop it: kill ${pid}`)
    }
  }
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })

  // Its words go to a file, so that it can be left running when nobody reads them any more.
  const log = path.join(folder, "backend.log")
  const output = fs.openSync(log, "w")
  const child = spawn(process.execPath, [cli, "dev", "--port", "0", "--data", folder], {
    detached: true,
    stdio: ["ignore", output, output]
  })
  fs.closeSync(output)
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))

  const url = await addressOf(child, log)
  const pid = child.pid ?? 0
  fs.writeFileSync(note, JSON.stringify({ pid, url }))
  return {
    url,
    pid,
    keep: () => child.unref(),
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
      await ended
      fs.rmSync(note, { force: true })
    }
  }
}
