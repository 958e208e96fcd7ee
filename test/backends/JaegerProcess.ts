/**
 * A real Jaeger with a store in memory, on loopback ports that are free, ended by its process id.
 */
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import * as Effect from "effect/Effect"

/** Where it is asked, and where spans go: over HTTP a URL, over gRPC a host and a port. */
export interface JaegerProcess {
  readonly url: string
  readonly otlp: string
  readonly otlpGrpc: string
}

const freePorts = (count: number): Promise<ReadonlyArray<number>> =>
  Promise.all(
    Array.from({ length: count }, () =>
      new Promise<net.Server>((resolve, reject) => {
        const server = net.createServer().once("error", reject).listen(0, "127.0.0.1", () => resolve(server))
      }))
  ).then((servers) =>
    Promise.all(servers.map((server) => {
      const { port } = server.address() as net.AddressInfo
      return new Promise<number>((resolve) => server.close(() => resolve(port)))
    }))
  )

const configuration = ([http, grpc, otlp, otlpGrpc]: ReadonlyArray<number>): string => `
service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines:
    traces: { receivers: [otlp], exporters: [jaeger_storage_exporter] }
  telemetry:
    metrics: { level: none }
    logs: { level: error }
extensions:
  jaeger_storage: { backends: { mem: { memory: { max_traces: 10000 } } } }
  jaeger_query:
    storage: { traces: mem }
    http: { endpoint: "127.0.0.1:${http}" }
    grpc: { endpoint: "127.0.0.1:${grpc}" }
receivers:
  otlp:
    protocols:
      http: { endpoint: "127.0.0.1:${otlp}", max_request_body_size: 104857600 }
      grpc: { endpoint: "127.0.0.1:${otlpGrpc}" }
exporters:
  jaeger_storage_exporter: { trace_storage: mem }
`

/** Answers, or the process has ended: then its last words. */
const ready = async (child: ChildProcess, url: string, said: () => string): Promise<void> => {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Jaeger ended with ${child.exitCode}: ${said().slice(-2_000)}`)
    const answer = await fetch(`${url}/api/services`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok === true) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const start = async (binary: string) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-jaeger-"))
  const ports = await freePorts(4)
  const file = path.join(folder, "jaeger.yaml")
  fs.writeFileSync(file, configuration(ports))
  const child = spawn(binary, ["--config", file], { stdio: ["ignore", "ignore", "pipe"] })
  // Also when the test run is stopped.
  const end = () => child.kill("SIGKILL")
  process.once("exit", end)
  child.once("exit", () => process.off("exit", end))
  let said = ""
  child.stderr.on("data", (chunk) => said = `${said}${chunk}`.slice(-10_000))
  const url = `http://127.0.0.1:${ports[0]}`
  await ready(child, url, () => said)
  return { child, folder, url, otlp: `http://127.0.0.1:${ports[2]}/v1/traces`, otlpGrpc: `127.0.0.1:${ports[3]}` }
}

/** Runs until the scope closes. */
export const make = (binary: string) =>
  Effect.acquireRelease(
    Effect.promise(() => start(binary)),
    ({ child, folder }) =>
      Effect.promise(async () => {
        const ended = new Promise((resolve) => child.once("exit", resolve))
        if (child.exitCode === null && child.kill("SIGKILL")) await ended
        fs.rmSync(folder, { recursive: true, force: true })
      })
  )
