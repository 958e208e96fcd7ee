/** Runs the command as a user does: as a process of its own, with an empty home folder. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))

export type Environment = Readonly<Record<string, string | undefined>>

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A folder that is removed with everything in it when the `using` block ends. */
export const temporaryFolder = (): { readonly path: string } & Disposable => {
  const path = mkdtempSync(join(tmpdir(), "toolspan-cli-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts the command and does not wait for anything. */
export const started = (args: ReadonlyArray<string>, environment: Environment = {}, node: ReadonlyArray<string> = []) =>
  spawn(process.execPath, [...node, main, ...args], {
    env: { HOME: "/nonexistent", PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** Starts the command with an input to write to. */
export const startedWithInput = (args: ReadonlyArray<string>, environment: Environment = {}) =>
  spawn(process.execPath, [main, ...args], {
    env: { HOME: "/nonexistent", PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["pipe", "pipe", "pipe"]
  })

const ended = async (child: ChildProcess): Promise<Ended> => {
  let out = ""
  let err = ""
  child.stdout?.setEncoding("utf8").on("data", (text) => out += text)
  child.stderr?.setEncoding("utf8").on("data", (text) => err += text)
  const [code] = await once(child, "close")
  return { code, out, err }
}

/** Runs the command to its end. */
export const run = (args: ReadonlyArray<string>, environment: Environment = {}, node: ReadonlyArray<string> = []) =>
  ended(started(args, environment, node))

/** Runs the command with its standard output, or standard error, in this file. */
export const runInto = async (
  path: string,
  args: ReadonlyArray<string>,
  environment: Environment = {},
  into: "out" | "err" = "out"
): Promise<Ended> => {
  const file = openSync(path, "w")
  const child = spawn(process.execPath, [main, ...args], {
    env: { HOME: "/nonexistent", PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", into === "out" ? file : "pipe", into === "err" ? file : "pipe"]
  })
  closeSync(file)
  return ended(child)
}

const shellQuoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

/** Runs the command on a terminal of this width (`script` of util-linux makes one) and gives what stands there then. */
export const runOnTerminal = async (
  columns: number,
  args: ReadonlyArray<string>,
  environment: Environment = {}
): Promise<Ended> => {
  const command = [process.execPath, main, ...args].map(shellQuoted).join(" ")
  const child = spawn("script", ["-qec", `stty cols ${columns}; ${command}`, "/dev/null"], {
    env: { HOME: "/nonexistent", PATH: process.env["PATH"] ?? "", TERM: "xterm", ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  return ended(child)
}

/** A `toolspan dev` that listens. */
export interface Dev extends AsyncDisposable {
  readonly url: string
  /** What it said when it began to listen. */
  readonly welcome: string
  readonly stop: (signal?: NodeJS.Signals) => Promise<Ended>
}

/** Starts `toolspan dev` and waits until it has said where it listens and how to stop it. */
export const dev = async (args: ReadonlyArray<string>, environment: Environment = {}): Promise<Dev> => {
  // The spans of fixtures began long ago: with the usual age they would be taken out while a test looks at them.
  const child = started(["dev", ...args], { TOOLSPAN_MAX_AGE: "none", ...environment })
  const end = ended(child)
  let welcome = ""
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (text: string) => {
      welcome += text
      if (welcome.includes("Ctrl+C stops it.")) resolve()
    })
    void end.then(({ code, err }) => reject(new Error(`dev ended with ${code}: ${err}`)))
  })
  const stop = (signal: NodeJS.Signals = "SIGINT") => {
    child.kill(signal)
    return end
  }
  return {
    url: /Look at (http:\/\/127\.0\.0\.1:\d+)/.exec(welcome)![1]!,
    welcome,
    stop,
    [Symbol.asyncDispose]: async () => void await stop("SIGKILL")
  }
}

/** Sends an OTLP/JSON request and answers the status. */
export const post = async (url: string, body: string): Promise<number> => {
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body
  })
  await response.arrayBuffer()
  return response.status
}

/** Runs the command for a reader that leaves after the first piece of the answer. */
export const runForHead = async (args: ReadonlyArray<string>, environment: Environment = {}): Promise<Ended> => {
  const child = started(args, environment)
  child.stdout.once("data", () => child.stdout.destroy())
  return ended(child)
}
