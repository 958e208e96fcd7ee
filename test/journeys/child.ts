import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { node } from "../../scripts/demo-install.mjs"

/** How a program ended and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly errors: string
}

export interface Child {
  readonly process: ChildProcess
  /** Resolves when the program has written `text` to its standard output. */
  readonly wrote: (text: string) => Promise<void>
  readonly ended: Promise<Ended>
}

/** The variables of this process without those that change how a traced program behaves. */
const plain = Object.fromEntries(
  Object.entries(process.env).filter(([key]) => !/^(OTEL_|TOOLSPAN_|NODE_|VITEST|ANTHROPIC_)/.test(key))
)

/** Starts `node args…` in a folder; `runtime` is another program in Node's place. */
export const start = (
  folder: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  runtime: string = node
): Child => {
  const child = spawn(runtime, args, { cwd: folder, env: { ...plain, ...env }, stdio: ["ignore", "pipe", "pipe"] })
  let out = ""
  let errors = ""
  let check = (): void => {}
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
    check()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const ended = once(child, "close").then(([code, signal]): Ended => ({ code, signal, out, errors }))
  return {
    process: child,
    wrote: (text) =>
      new Promise((resolve, reject) => {
        check = () => out.includes(text) && resolve()
        check()
        void ended.then(() => reject(new Error(`The program ended and never wrote ${text}:\n${out}\n${errors}`)))
      }),
    ended
  }
}

/** Runs `node args…` in a folder to its end. */
export const run = (...args: Parameters<typeof start>): Promise<Ended> => start(...args).ended

/** What `node` is given to preload toolspan. */
export const register = ["--import", "toolspan/register"]

/** The environment that sends to a sink. */
export const sendTo = (url: string, protocol = "http/json"): Readonly<Record<string, string>> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_SERVICE_NAME: "journey"
})
