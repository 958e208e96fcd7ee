/**
 * Finds out who listens on a port of this machine.
 */
import * as fs from "node:fs/promises"
import * as http from "node:http"
import * as Effect from "effect/Effect"
import { health } from "./Health.ts"
import { challenge } from "./Token.ts"
import type { PortHolder } from "./ReceiverError.ts"

/** `TCP_LISTEN` in Linux' socket tables. */
const listening = "0A"

/** Longer command lines are cut. */
const commandAtMost = 120

/** How long a health answer may take, in milliseconds, and how long it may be, in characters. */
const healthWithin = 500
const healthAtMost = 1_000

const readText = (file: string): Promise<string> => fs.readFile(file, "utf8").catch(() => "")

/** The inodes of the sockets that listen on a port, from the kernel's tables. */
const inodesOf = async (port: number): Promise<ReadonlySet<string>> => {
  const tables = await Promise.all([readText("/proc/net/tcp"), readText("/proc/net/tcp6")])
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  const inodes = new Set<string>()
  for (const line of tables.join("\n").split("\n")) {
    const columns = line.trim().split(/\s+/)
    if (columns[1]?.endsWith(wanted) && columns[3] === listening) inodes.add(`socket:[${columns[9]}]`)
  }
  return inodes
}

const holds = async (pid: string, inodes: ReadonlySet<string>): Promise<boolean> => {
  const descriptors = await fs.readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const descriptor of descriptors) {
    if (inodes.has(await fs.readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ""))) return true
  }
  return false
}

/** How a process was started. Its name is its own choice: control characters must not reach a terminal. */
const commandOf = async (pid: string): Promise<string> => {
  const line = (await readText(`/proc/${pid}/cmdline`)) || (await readText(`/proc/${pid}/comm`))
  const text = line.replace(/[\p{C}\s]+/gu, " ").trim()
  return text.length > commandAtMost ? `${text.slice(0, commandAtMost)}…` : text
}

const search = async (port: number): Promise<PortHolder | undefined> => {
  const inodes = await inodesOf(port)
  if (inodes.size === 0) return undefined
  for (const pid of await fs.readdir("/proc").catch(() => [])) {
    if (/^\d+$/.test(pid) && await holds(pid, inodes)) return { pid: Number(pid), command: await commandOf(pid) }
  }
  return undefined
}

/** The process that listens on a port; `undefined` where that cannot be known. */
export const holder = (port: number): Effect.Effect<PortHolder | undefined> => Effect.promise(() => search(port))

/** Whether a toolspan receiver answers on a port. */
export const isToolspan = (port: number): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const no = () => resume(Effect.succeed(false))
    const request = http.get(
      { host: "127.0.0.1", port, path: health.path, timeout: healthWithin, agent: false },
      (answer) => {
        let text = ""
        if (answer.headers["www-authenticate"] === challenge) resume(Effect.succeed(true))
        answer.setEncoding("utf8")
        answer.on("error", no)
        answer.on("data", (chunk: string) => {
          text += chunk
          if (text.length > healthAtMost) request.destroy()
        })
        answer.on("end", () => resume(Effect.succeed(text === health.body)))
      }
    )
    request.on("timeout", () => request.destroy())
    request.on("error", no)
    request.on("close", no)
    return Effect.sync(() => request.destroy())
  })
