/** Jaeger all in one process with its Badger store, built from its Go module the first time it is asked for. */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { peakMegabytes, stop } from "./programs.ts"

const version = "v1.76.0"
const cache = path.join(import.meta.dirname, "../../../.cache/go")

const compiler = "go"

/** A backend that OTLP requests are sent to. */
export interface Peer extends AsyncDisposable {
  readonly url: string
  /** Spans that are in its store. */
  readonly stored: () => Promise<number>
  readonly peakMegabytes: () => number | undefined
}

/** `go install` refuses a module that replaces another one: the same replacement in a module of ours builds it. */
const build = (program: string): string | undefined => {
  if (fs.existsSync(program)) return undefined
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-jaeger-"))
  fs.writeFileSync(
    path.join(folder, "go.mod"),
    `module build\n\ngo 1.25\n\nrequire github.com/jaegertracing/jaeger ${version}\n\n`
      + "replace github.com/Shopify/sarama => github.com/Shopify/sarama v1.33.0\n"
  )
  fs.writeFileSync(
    path.join(folder, "tool.go"),
    "//go:build tools\n\npackage build\n\nimport _ \"github.com/jaegertracing/jaeger/cmd/jaeger\"\n"
  )
  const run = (...args: ReadonlyArray<string>) => spawnSync(compiler, args, { cwd: folder, encoding: "utf8" })
  const tidied = run("mod", "tidy")
  const built = tidied.status === 0
    ? run("build", "-trimpath", "-o", program, "github.com/jaegertracing/jaeger/cmd/jaeger")
    : tidied
  fs.rmSync(folder, { recursive: true, force: true })
  return built.status === 0 ? undefined : built.error?.message ?? built.stderr.trim().split("\n").at(-1)
}

/** A port that was free a moment ago. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })

/** Asks until there is an answer, for a minute at most. */
export const answers = async (url: string): Promise<boolean> => {
  for (let tried = 0; tried < 240; tried++) {
    if (await fetch(url).then(({ status }) => status < 500, () => false)) return true
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return false
}

/** Starts Jaeger; a text says why there is none. */
export const start = async (folder: string): Promise<Peer | string> => {
  const program = path.join(cache, "bin/jaeger")
  const failure = build(program)
  if (failure !== undefined) return `Jaeger could not be built: ${failure}`
  const [otlp, health, metrics, page, rpc] = await Promise.all(Array.from({ length: 5 }, freePort))
  const config = path.join(folder, "jaeger.yaml")
  const at = (port: number | undefined) => `127.0.0.1:${port}`
  fs.writeFileSync(
    config,
    `service:
  extensions: [jaeger_storage, jaeger_query, healthcheckv2]
  pipelines:
    traces: { receivers: [otlp], exporters: [jaeger_storage_exporter] }
  telemetry:
    logs: { level: error }
    metrics: { readers: [{ pull: { exporter: { prometheus: { host: 127.0.0.1, port: ${metrics} } } } }] }
extensions:
  healthcheckv2: { use_v2: true, http: { endpoint: "${at(health)}" } }
  jaeger_storage:
    backends:
      disk:
        badger:
          directories: { keys: "${folder}/keys", values: "${folder}/values" }
          ephemeral: false
  jaeger_query:
    storage: { traces: disk }
    http: { endpoint: "${at(page)}" }
    grpc: { endpoint: "${at(rpc)}" }
receivers:
  otlp: { protocols: { http: { endpoint: "${at(otlp)}" } } }
exporters:
  jaeger_storage_exporter: { trace_storage: disk }
`
  )
  const child = spawn(program, ["--config", config], { stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => said = (said + text).slice(-500))
  if (!await answers(`http://${at(health)}/status`)) {
    await stop(child)
    return `Jaeger did not start: ${said}`
  }
  return {
    url: `http://${at(otlp)}/v1/traces`,
    stored: async () => {
      const text = await fetch(`http://${at(metrics)}/metrics`).then((response) => response.text())
      const line = /^otelcol_exporter_sent_spans\S* (\S+)$/m.exec(text)
      return Number(line?.[1] ?? 0)
    },
    peakMegabytes: () => peakMegabytes(child.pid ?? 0),
    [Symbol.asyncDispose]: () => stop(child)
  }
}
