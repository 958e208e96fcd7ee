/** A real program on loopback ports that are free: started, waited for, and ended by its process id. */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"

/** Ports that nothing listens on, taken all at once so that they differ. */
export const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(
    Array.from({ length: count }, () =>
      new Promise<net.Server>((resolve, reject) => {
        const server = net.createServer().once("error", reject).listen(0, "127.0.0.1", () => resolve(server))
      }))
  )
  return Promise.all(servers.map((server) => {
    const { port } = server.address() as net.AddressInfo
    return new Promise<number>((resolve) => server.close(() => resolve(port)))
  }))
}

/** A folder that is gone with the test. */
export const scratch = (): AsyncDisposable & { readonly folder: string } => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-backends-"))
  return {
    folder,
    [Symbol.asyncDispose]: async () => fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Asks until the answer is there; says what was found last when `seconds` are over. */
export const until = async <A>(
  what: string,
  ask: () => Promise<A | undefined> | A | undefined,
  seconds = 60
): Promise<A> => {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`Not within ${seconds} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export interface Program extends AsyncDisposable {
  readonly pid: number
  /** Everything that it wrote, to both outputs. */
  readonly said: () => string
  /** Ends it; answers its exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(async (answer) => {
    await answer.arrayBuffer()
    return answer.ok
  }, () => false)

/** Starts a program and waits until this address answers 200; throws its last words when it ends before. */
export const start = async (
  binary: string,
  args: ReadonlyArray<string>,
  health: string,
  env: Readonly<Record<string, string>> = {}
): Promise<Program> => {
  const child: ChildProcess = spawn(binary, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env }
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => said = (said + text).slice(-200_000))
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const stop = async (signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    return ended
  }
  try {
    await until(`${health} answers`, async () => {
      if (child.exitCode !== null) throw new Error(`${path.basename(binary)} ended with ${child.exitCode}: ${said}`)
      return await answers(health) ? true : undefined
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid ?? 0, said: () => said, stop, [Symbol.asyncDispose]: async () => void await stop() }
}
