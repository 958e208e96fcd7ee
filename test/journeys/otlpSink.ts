import { createServer } from "node:http"
import { gunzipSync } from "node:zlib"

/** A span as OTLP/JSON writes it, with its text attributes and the text attributes of its links at hand. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly links: ReadonlyArray<{ readonly spanId: string; readonly type: unknown }>
}

export interface OtlpSink extends AsyncDisposable {
  readonly url: string
  readonly spans: () => ReadonlyArray<SentSpan>
  /** Every byte that was received, unpacked. */
  readonly bytes: () => string
}

interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface JsonSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes?: ReadonlyArray<KeyValue>
  readonly links?: ReadonlyArray<{ readonly spanId: string; readonly attributes?: ReadonlyArray<KeyValue> }>
}

interface JsonRequest {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<JsonSpan> }>
  }>
}

const valuesOf = (attributes: ReadonlyArray<KeyValue> = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const toSpan = (span: JsonSpan): SentSpan => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentSpanId: span.parentSpanId ?? "",
  name: span.name,
  attributes: valuesOf(span.attributes),
  links: (span.links ?? []).map((link) => ({
    spanId: link.spanId,
    type: valuesOf(link.attributes)["toolspan.link.type"]
  }))
})

/** Takes OTLP/HTTP in JSON on a free loopback port and keeps it: any endpoint, with nothing of toolspan in it. */
export const otlpSink = async (): Promise<OtlpSink> => {
  const bodies: Array<string> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    bodies.push((request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString("utf8"))
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The sink has no port.")
  return {
    url: `http://127.0.0.1:${address.port}`,
    bytes: () => bodies.join("\n"),
    spans: () =>
      bodies.flatMap((body) =>
        (JSON.parse(body) as JsonRequest).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans.map(toSpan))
        )
      ),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
