/** As much of Jaeger's HTTP API as the command line asks for, over real HTTP: services, search by tags, traces by id. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as JsonEncoder from "../../src/otlp/JsonEncoder.ts"
import { type AttributeValue, type SpanRow, textOf } from "../../src/otlp/SpanRow.ts"

export interface FakeJaeger extends AsyncDisposable {
  /** As `--backend` takes it. */
  readonly backend: string
  /** The paths that were asked for, with their headers. */
  readonly asked: ReadonlyArray<{ readonly path: string; readonly authorization: string | undefined }>
}

const service = (row: SpanRow) => textOf(row.resource.attributes, "service.name")

const textOfValue = (value: AttributeValue): string => typeof value === "object" ? JSON.stringify(value) : String(value)

/** Jaeger compares attributes of a span, its events and its resource as texts; a list is one JSON text. */
const has = (row: SpanRow, tags: Readonly<Record<string, string>>): boolean =>
  Object.entries(tags).every(([key, value]) =>
    [row.attributes, row.resource.attributes, ...row.events.map(({ attributes }) => attributes)].some((attributes) =>
      attributes.some((attribute) => attribute.key === key && textOfValue(attribute.value) === value)
    )
  )

/** Serves these spans on a port of its own. */
export const serve = async (rows: ReadonlyArray<SpanRow>): Promise<FakeJaeger> => {
  const asked: Array<{ readonly path: string; readonly authorization: string | undefined }> = []
  const answer = (url: URL): unknown => {
    if (url.pathname === "/api/services") return { data: [...new Set(rows.flatMap((row) => service(row) ?? []))] }
    if (url.pathname === "/api/traces") {
      const tags = JSON.parse(url.searchParams.get("tags") ?? "{}") as Readonly<Record<string, string>>
      const [from, to] = ["start", "end"].map((name) => BigInt(url.searchParams.get(name) ?? 0) * 1000n) as [
        bigint,
        bigint
      ]
      const found = rows.filter((row) =>
        service(row) === url.searchParams.get("service") && has(row, tags) && row.start >= from && row.start <= to
      )
      const ids = [...new Set(found.map(({ traceId }) => traceId))].slice(0, Number(url.searchParams.get("limit")))
      return { data: ids.map((traceID) => ({ traceID })) }
    }
    const wanted = /^\/api\/v3\/traces\/([0-9a-f]{32})$/.exec(url.pathname)?.[1]
    const [request] = [...JsonEncoder.requests(rows.filter(({ traceId }) => traceId === wanted), Infinity)]
    return request === undefined ? undefined : { result: JSON.parse(request) as unknown }
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    asked.push({ path: url.pathname, authorization: request.headers.authorization })
    const body = answer(url)
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(body ?? { errors: [{ code: 404, msg: "trace not found" }] }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    backend: `jaeger=http://127.0.0.1:${(server.address() as AddressInfo).port}?days=3650`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
