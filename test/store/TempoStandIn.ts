/**
 * Answers as Tempo's HTTP API is documented to: https://grafana.com/docs/tempo/latest/api_docs/ (Query V2, Search). The
 * shapes are those of `tempoAnswers.ts`, which a test holds; that ids in search answers come without zeros in front was seen at Tempo 3.0.3.
 */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { traceById } from "./tempoAnswers.ts"
import * as TraceQl from "./TraceQlSubset.ts"

/** A running one. */
export interface TempoStandIn {
  readonly url: string
  readonly push: (rows: ReadonlyArray<SpanRow>) => void
}

const least = (times: ReadonlyArray<bigint>): bigint => times.reduce((one, other) => one < other ? one : other)
const most = (times: ReadonlyArray<bigint>): bigint => times.reduce((one, other) => one > other ? one : other)

interface Trace {
  readonly id: string
  readonly rows: ReadonlyArray<SpanRow>
}

const search = (traces: ReadonlyArray<Trace>, parameters: URLSearchParams) => {
  const selects = TraceQl.parse(parameters.get("q") ?? "")
  const from = BigInt(parameters.get("start") ?? "0") * 1_000_000_000n
  const until = BigInt(parameters.get("end") ?? "0") * 1_000_000_000n
  const found = traces.flatMap(({ id, rows }) => {
    const start = least(rows.map((row) => row.start))
    const matched = rows.filter(selects)
    if (matched.length === 0 || start > until || most(rows.map((row) => row.end)) < from) return []
    const spans = matched.slice(0, Number(parameters.get("spss") ?? "3")).map((row) => ({
      spanID: row.spanId,
      startTimeUnixNano: String(row.start),
      durationNanos: String(row.end - row.start)
    }))
    return [{
      traceID: id.replace(/^0+(?=.)/, ""),
      rootServiceName: "<root span not yet received>",
      startTimeUnixNano: String(start),
      durationMs: 1,
      spanSets: [{ spans, matched: matched.length }]
    }]
  })
  const newest = found.toSorted((one, other) =>
    BigInt(one.startTimeUnixNano) < BigInt(other.startTimeUnixNano) ? 1 : -1
  )
  return { traces: newest.slice(0, Number(parameters.get("limit") ?? "20")), metrics: { totalBlocks: 1 } }
}

/** Runs until the scope closes. */
export const make = Effect.acquireRelease(
  Effect.promise(async () => {
    const spans = new Map<string, Map<string, SpanRow>>()
    const traces = () => [...spans].map(([id, rows]): Trace => ({ id, rows: [...rows.values()] }))
    const server = http.createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
      const url = new URL(request.url ?? "/", "http://localhost")
      const id = /^\/api\/v2\/traces\/([0-9a-f]{32})$/.exec(url.pathname)?.[1]
      if (id !== undefined && request.headers.accept === "application/protobuf") {
        const rows = spans.get(id)
        response.writeHead(rows === undefined ? 404 : 200, { "content-type": "application/protobuf" })
        response.end(rows === undefined ? "" : traceById.answer([...rows.values()]))
      } else if (url.pathname === "/api/search") {
        try {
          const answer = JSON.stringify(search(traces(), url.searchParams))
          response.writeHead(200, { "content-type": "application/json" }).end(answer)
        } catch (error) {
          response.writeHead(400).end(`invalid TraceQL query: ${String(error)}`)
        }
      } else response.writeHead(404).end("404 page not found")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const push = (rows: ReadonlyArray<SpanRow>): void => {
      for (const row of rows) {
        const trace = spans.get(row.traceId) ?? new Map<string, SpanRow>()
        spans.set(row.traceId, trace)
        if (!trace.has(row.spanId)) trace.set(row.spanId, row)
      }
    }
    return { server, push, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) =>
    Effect.promise(() => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      return closed
    })
)
