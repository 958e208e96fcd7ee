import { createServer, type IncomingHttpHeaders } from "node:http"
import { gunzipSync } from "node:zlib"
import { readTraceRequest } from "./otlpProtobuf.ts"

/** An attribute's value; a list is an array. */
export type Value = string | number | boolean | ReadonlyArray<unknown> | undefined

export type Attributes = Readonly<Record<string, Value>>

/** A span as it was sent, in JSON or protobuf alike. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  /** 1 internal, 3 client. */
  readonly kind: number
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Attributes
  readonly links: ReadonlyArray<{ readonly spanId: string; readonly type: Value }>
  readonly events: ReadonlyArray<{ readonly name: string; readonly attributes: Attributes }>
  /** 0 unset, 1 ok, 2 error. */
  readonly status: { readonly code: number; readonly message: string }
  readonly service: Value
}

/** What becomes of a request: an answer, or a connection that is reset before its body is read. */
export interface SinkAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly delayMillis?: number
  readonly reset?: boolean
}

export interface OtlpSink extends AsyncDisposable {
  readonly url: string
  /** The spans of every request that was answered with 200. */
  readonly spans: () => ReadonlyArray<SentSpan>
  /** Every byte that was received, unpacked. */
  readonly bytes: () => string
  /** How many requests came, whatever they were answered. */
  readonly requests: () => number
}

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface JsonSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly traceState?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes?: ReadonlyArray<KeyValue>
  readonly events?: ReadonlyArray<{ readonly name: string; readonly attributes?: ReadonlyArray<KeyValue> }>
  readonly links?: ReadonlyArray<{ readonly spanId: string; readonly attributes?: ReadonlyArray<KeyValue> }>
  readonly status?: { readonly code?: number; readonly message?: string }
}

interface JsonRequest {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource?: { readonly attributes?: ReadonlyArray<KeyValue> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<JsonSpan> }>
  }>
}

const valueOf = (value: Readonly<Record<string, unknown>> = {}): Value => {
  if ("intValue" in value) return Number(value["intValue"])
  if ("arrayValue" in value) {
    return ((value["arrayValue"] as { values?: ReadonlyArray<KeyValue["value"]> }).values ?? []).map(valueOf)
  }
  return Object.values(value)[0] as Value
}

const valuesOf = (attributes: ReadonlyArray<KeyValue> = []): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

const toSpan = (service: Value) => (span: JsonSpan): SentSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId ?? "",
  traceState: span.traceState ?? "",
  name: span.name,
  kind: span.kind,
  start: BigInt(span.startTimeUnixNano),
  end: BigInt(span.endTimeUnixNano),
  attributes: valuesOf(span.attributes),
  links: (span.links ?? []).map((link) => ({
    spanId: link.spanId,
    type: valuesOf(link.attributes)["toolspan.link.type"]
  })),
  events: (span.events ?? []).map(({ attributes, name }) => ({ name, attributes: valuesOf(attributes) })),
  status: { code: span.status?.code ?? 0, message: span.status?.message ?? "" },
  service
})

interface Taken {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  accepted: boolean
}

const spansOf = ({ body, headers }: Taken): ReadonlyArray<SentSpan> => {
  const request = headers["content-type"] === "application/x-protobuf"
    ? readTraceRequest(body)
    : JSON.parse(body.toString("utf8"))
  // A request of metrics has none.
  return ((request as Partial<JsonRequest>).resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map(toSpan(valuesOf(resource?.attributes)["service.name"])))
  )
}

/** Takes OTLP/HTTP on a free loopback port and keeps it: any endpoint, with nothing of toolspan in it. */
export const otlpSink = async (answer: (request: number) => SinkAnswer = () => ({})): Promise<OtlpSink> => {
  const taken: Array<Taken> = []
  const timers = new Set<NodeJS.Timeout>()
  let requests = 0
  const server = createServer(async (request, response) => {
    const { delayMillis = 0, headers = {}, reset = false, status = 200 } = answer(++requests)
    if (reset) return void request.socket.resetAndDestroy()
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const one: Taken = {
      headers: request.headers,
      body: request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body,
      accepted: false
    }
    taken.push(one)
    const reply = (): void => {
      one.accepted = status === 200
      response.writeHead(status, { "content-type": request.headers["content-type"] ?? "application/json", ...headers })
      response.end(status === 200 && request.headers["content-type"] === "application/x-protobuf" ? "" : "{}")
    }
    if (delayMillis === 0) return reply()
    const timer = setTimeout(() => {
      timers.delete(timer)
      reply()
    }, delayMillis)
    timers.add(timer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The sink has no port.")
  return {
    url: `http://127.0.0.1:${address.port}`,
    bytes: () => taken.map(({ body }) => body.toString("utf8")).join("\n"),
    spans: () => taken.filter(({ accepted }) => accepted).flatMap(spansOf),
    requests: () => requests,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const timer of timers) clearTimeout(timer)
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
