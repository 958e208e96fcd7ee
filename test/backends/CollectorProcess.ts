/** The collector with the configuration of collector/, on free ports. */
import * as fs from "node:fs"
import * as http2 from "node:http2"
import * as path from "node:path"
import { ensureCollector } from "../../scripts/collector.ts"
import { root } from "../collector/Files.ts"
import * as Program from "./Program.ts"

export interface CollectorProcess extends Program.Program {
  /** Where it takes OTLP/HTTP, without the path. */
  readonly url: string
  /** Host and port where it takes OTLP/gRPC. */
  readonly grpc: string
  /** One of the metrics that it tells of itself, summed over its labels or those with this text; 0 when there is none. */
  readonly own: (name: string, label?: string) => Promise<number>
  /** All of them, as Prometheus scrapes them. */
  readonly scraped: () => Promise<string>
}

export interface Options {
  /** Where its files go: the queue's folder is in it. */
  readonly folder: string
  /** Files under collector/, the first alone or with overlays. */
  readonly files?: ReadonlyArray<string>
  /** Host and port of the trace store. */
  readonly traces?: string
  /** Where metrics are sent. */
  readonly metrics?: string
  readonly env?: Readonly<Record<string, string>>
  /** One more configuration, loaded last. */
  readonly more?: string
  /** Ports for gRPC, HTTP, health and its own metrics: a restarted one keeps them. */
  readonly ports?: ReadonlyArray<number>
  /** Goes before the program: what runs it. */
  readonly runner?: ReadonlyArray<string>
}

/** What has to differ in a test: the ports, and only warnings in its words. */
const places = ([grpc, http, , own]: ReadonlyArray<number>): string => `
receivers:
  otlp:
    protocols:
      grpc: { endpoint: "127.0.0.1:${grpc}" }
      http: { endpoint: "127.0.0.1:${http}" }
service:
  telemetry:
    logs: { level: warn }
    metrics:
      readers:
        - pull: { exporter: { prometheus: { host: "127.0.0.1", port: ${own} } } }
`

/** What compose gives every collector. */
const gate = "--feature-gates=-connector.spanmetrics.includeCollectorInstanceID"

/** Starts it. A closed port stands in for what it is not told to send to. */
export const start = async (options: Options): Promise<CollectorProcess> => {
  const ports = options.ports ?? await Program.freePorts(4)
  const [closed = 0] = await Program.freePorts(1)
  const [grpc, http, health, own] = ports
  const written = [places(ports), ...options.more === undefined ? [] : [options.more]].map((text, index) => {
    const file = path.join(options.folder, `test-${http}-${index}.yaml`)
    fs.writeFileSync(file, text)
    return file
  })
  const files = (options.files ?? ["collector.yaml"]).map((file) => path.join(root, "collector", file))
  const command = [...options.runner ?? [], ensureCollector()]
  const program = await Program.start(
    command[0] ?? "",
    [...command.slice(1), ...[...files, ...written].map((file) => `--config=${file}`), gate],
    `http://127.0.0.1:${health}/`,
    {
      HEALTH_ENDPOINT: `127.0.0.1:${health}`,
      QUEUE_DIR: path.join(options.folder, "queue"),
      TRACES_ENDPOINT: options.traces ?? `127.0.0.1:${closed}`,
      METRICS_ENDPOINT: options.metrics ?? `http://127.0.0.1:${closed}`,
      SPAN_METRICS_FLUSH: "1s",
      ...options.env
    }
  )
  // Without this, names keep their dots for Prometheus: prometheus.yaml has it say the same.
  const headers = { accept: "text/plain;version=1.0.0;escaping=underscores" }
  const scraped = async () => (await fetch(`http://127.0.0.1:${own}/metrics`, { headers })).text()
  return {
    ...program,
    scraped,
    url: `http://127.0.0.1:${http}`,
    grpc: `127.0.0.1:${grpc}`,
    own: async (name, label = "") => {
      const text = await scraped()
      return text.split("\n")
        .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(label))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0)
    }
  }
}

/** Sends one OTLP/HTTP request; answers the status, or 0 when there was none. */
export const send = async (
  url: string,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {}
): Promise<number> => {
  const answer = await fetch(`${url}/v1/traces`, {
    method: "POST",
    body: body as Uint8Array<ArrayBuffer>,
    headers: { "content-type": "application/x-protobuf", ...headers }
  }).catch(() => undefined)
  await answer?.arrayBuffer().catch(() => undefined)
  return answer?.status ?? 0
}

/** The frame of a unary call over gRPC: not compressed, four bytes of length, the message. */
export const frame = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

/** Makes one OTLP/gRPC call to a host and port with what is given as its body; answers gRPC's status, or -1 when there was none. */
export const call = async (
  address: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
  certificate?: string
): Promise<number> => {
  const session = http2.connect(
    `${certificate === undefined ? "http" : "https"}://${address}`,
    certificate === undefined ? {} : { ca: certificate }
  )
  try {
    return await new Promise<number>((resolve) => {
      session.on("error", () => resolve(-1))
      const stream = session.request({
        ":method": "POST",
        ":path": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        "content-type": "application/grpc",
        te: "trailers",
        ...headers
      })
      const told = (received: http2.IncomingHttpHeaders) => {
        if (received["grpc-status"] !== undefined) resolve(Number(received["grpc-status"]))
      }
      stream.on("response", told)
      stream.on("trailers", told)
      stream.on("error", () => resolve(-1))
      stream.on("close", () => resolve(-1))
      stream.resume()
      stream.end(body)
    })
  } finally {
    session.destroy()
  }
}
