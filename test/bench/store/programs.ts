/** Runs the benchmark's programs, and looks at what they use. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import * as path from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"

const receiverProgram = fileURLToPath(new URL("./receiver.ts", import.meta.url))
const root = path.join(import.meta.dirname, "../../..")

/** What users run is the built package: types that are stripped at run time would count as memory of ours. */
export const builtReceiver = (): string | undefined => {
  if (!fs.existsSync(path.join(root, "dist/store/ThreadedStore.js"))) return undefined
  const source = stripTypeScriptTypes(fs.readFileSync(receiverProgram, "utf8"))
  const built = path.join(root, ".cache/bench/receiver.mjs")
  fs.mkdirSync(path.dirname(built), { recursive: true })
  fs.writeFileSync(built, source.replaceAll(/"\.\.\/\.\.\/\.\.\/src\/(.*)\.ts"/g, "\"../../dist/$1.js\""))
  return built
}
const programs = {
  raw: fileURLToPath(new URL("./raw.ts", import.meta.url)),
  sender: fileURLToPath(new URL("./sender.ts", import.meta.url))
}

/** Runs a program of this folder to its end; gives the JSON that it prints. */
export const run = async <A>(name: keyof typeof programs, args: ReadonlyArray<string>): Promise<A> => {
  const child = spawn(process.execPath, [programs[name], ...args], { stdio: ["ignore", "pipe", "inherit"] })
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => text += chunk)
  const [code] = await once(child, "close") as [number | null]
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  return JSON.parse(text) as A
}

/** A program that runs until it is stopped. */
export interface Running extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

/** Stops a child and waits until it is gone. */
export const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "close")
  child.kill("SIGKILL")
  await gone
}

/** Starts the receiver over this file. */
export const receiver = async (file: string): Promise<Running> => {
  const child = spawn(process.execPath, [builtReceiver() ?? receiverProgram, file], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const [port] = await once(child.stdout, "data") as [Buffer]
  return {
    url: `http://127.0.0.1:${Number(port.toString())}`,
    pid: child.pid!,
    [Symbol.asyncDispose]: () => stop(child)
  }
}

/** The most memory that a process had, in megabytes; `undefined` where the system does not say. */
export const peakMegabytes = (pid: number): number | undefined => {
  const status = fs.existsSync(`/proc/${pid}/status`) ? fs.readFileSync(`/proc/${pid}/status`, "utf8") : ""
  const found = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]
  return found === undefined ? undefined : Number(found) / 1_000
}

/** Processor time that a process has used, in microseconds (in steps of 10 ms); `undefined` where the system does not say. */
export const processorMicros = (pid: number): number | undefined => {
  const stat = fs.existsSync(`/proc/${pid}/stat`) ? fs.readFileSync(`/proc/${pid}/stat`, "utf8") : undefined
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields && (Number(fields[11]) + Number(fields[12])) * 10_000
}
