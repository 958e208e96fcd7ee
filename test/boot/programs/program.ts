import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"

const register = new URL("../../../src/register.ts", import.meta.url).href

/** How a program ended and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly errors: string
}

export interface Running {
  readonly child: ChildProcess
  /** Resolves when the program has written `text` to its standard output. */
  readonly wrote: (text: string) => Promise<void>
  readonly ended: Promise<Ended>
}

/** Starts a program of this folder with `--import toolspan/register` and an OTLP/JSON endpoint. */
export const start = (
  name: string,
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  imports: ReadonlyArray<string> = [register]
): Running => {
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^(OTEL_|TOOLSPAN_|NODE_OPTIONS)/.test(key))
  )
  const child = spawn(
    process.execPath,
    [...imports.flatMap((url) => ["--import", url]), fileURLToPath(new URL(name, import.meta.url)), ...args],
    { env: { ...own, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...env }, stdio: ["ignore", "pipe", "pipe"] }
  )
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
  return {
    child,
    wrote: (text) =>
      new Promise((resolve) => {
        check = () => out.includes(text) && resolve()
        check()
      }),
    ended: once(child, "close").then(([code, signal]) => ({ code, signal, out, errors }))
  }
}

/** Runs a program of this folder to its end. */
export const run = (...args: Parameters<typeof start>): Promise<Ended> => start(...args).ended

/** The URL of a loopback port on which nobody listens. */
export const closedPort = async (): Promise<string> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, "close")
  return `http://127.0.0.1:${port}`
}
