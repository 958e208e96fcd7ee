/** The page over a store in memory, and an API that answers from it. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { groupCalls } from "../../src/query/CallGroup.ts"
import { format, millisBetween } from "../../src/query/Instant.ts"
import * as Query from "../../src/query/Query.ts"
import * as SpanIndex from "../../src/query/SpanIndex.ts"
import * as Reading from "../../src/query/SpanReading.ts"
import { tell } from "../../src/query/Telling.ts"
import { summarize } from "../../src/query/ToolCall.ts"
import { ToolCall } from "../../src/query/ToolCall.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import type { CallJson } from "../../src/viewer/client/Wire.ts"
import * as Page from "../../src/viewer/Page.ts"

const callJson = Schema.encodeUnknownSync(ToolCall)
const storiesJson = Schema.encodeUnknownSync(Query.Stories)

/** A server with the page; `add` makes news. */
export interface FixtureServer {
  readonly url: string
  readonly add: (rows: ReadonlyArray<SpanRow>) => Promise<void>
  readonly close: () => Promise<void>
}

type Listed = CallJson & { readonly faults: number }

const attributeJson = ({ key, value }: SpanRow["attributes"][number]) => ({
  key,
  value: typeof value === "bigint" ? Number(value) : value
})

const spanJson = (row: SpanRow, depth: number, rows: ReadonlyArray<SpanRow>) => {
  const link = (type: string, other: { readonly traceId: string; readonly spanId: string }) => {
    const name = rows.find((row) => row.spanId === other.spanId)?.name
    return { type, traceId: other.traceId, spanId: other.spanId, ...(name === undefined ? {} : { name }) }
  }
  const role = Reading.stageOf(row) ?? (Reading.isChat(row) ? "chat" : Reading.isTurn(row) ? "turn" : undefined)
  return {
    traceId: row.traceId,
    spanId: row.spanId,
    ...(row.parentSpanId === "" ? {} : { parentSpanId: row.parentSpanId }),
    name: row.name,
    service: Reading.serviceOf(row),
    start: format(row.start),
    durationMillis: millisBetween(row.start, row.end),
    failed: row.status.code === 2,
    depth,
    ...(role === undefined ? {} : { role }),
    attributes: row.attributes.map(attributeJson),
    events: row.events.map((event) => ({
      at: format(event.time),
      name: event.name,
      attributes: event.attributes.map(attributeJson)
    })),
    links: Reading.linksOf(row).map((to) => link(to.type, to)),
    linkedFrom: rows.flatMap((other) =>
      Reading.linksOf(other).filter(({ spanId }) => spanId === row.spanId).map(({ type }) => link(type, other))
    )
  }
}

const fits = (call: Listed, query: URLSearchParams): boolean => {
  const same = (name: string, value: string | undefined) => !query.has(name) || query.get(name) === value
  const q = query.get("q")
  return same("tool", call.tool) && same("state", call.state) && same("outcome", call.outcome)
    && same("conversation", call.conversation)
    && (!query.has("violation") || call.faults > 0)
    && (q === null || [call.id, call.key, call.tool].some((text) => text?.startsWith(q)))
}

/** Starts one; `many` calls are listed besides those of the rows. */
export const start = async (
  options: { readonly folder: string; readonly rows?: ReadonlyArray<SpanRow>; readonly many?: ReadonlyArray<CallJson> }
): Promise<FixtureServer> => {
  const store = MemoryStore.make()
  const query = Query.make(store)
  const page = await Effect.runPromise(Page.make({ folder: options.folder }))
  const listeners = new Set<http.ServerResponse>()
  let rows: ReadonlyArray<SpanRow> = []
  let listed: ReadonlyArray<Listed> = []
  const add = async (more: ReadonlyArray<SpanRow>) => {
    await Effect.runPromise(store.append(more))
    rows = [...rows, ...more]
    const spans = SpanIndex.make(rows)
    const groups = groupCalls(rows)
    const faults = new Map(tell(groups, spans).map(({ call, violations }) => [call.key, violations.length]))
    listed = [
      ...groups.map((group) => {
        const call = summarize(group, spans)
        return { ...callJson(call), faults: faults.get(call.key) ?? 0 } as Listed
      }),
      ...(options.many ?? []).map((call) => ({ ...call, faults: 0 }))
    ]
    for (const listener of listeners) listener.write("event: call\ndata: {}\n\n")
  }
  await add(options.rows ?? [])

  const answer = async (url: URL): Promise<unknown> => {
    const [, , kind, id = ""] = url.pathname.split("/").map(decodeURIComponent)
    if (kind === "calls" && id !== "") return storiesJson(await Effect.runPromise(query.story(id, 20)))
    if (kind === "calls") {
      const found = listed.filter((call) => fits(call, url.searchParams))
      const from = Number(url.searchParams.get("cursor") ?? 0)
      const end = from + Number(url.searchParams.get("limit"))
      return {
        calls: found.slice(from, end),
        total: found.length,
        ...(end < found.length ? { next: String(end) } : {})
      }
    }
    if (kind === "traces") {
      const inTrace = rows.filter((row) => row.traceId === id).toSorted((a, b) => a.start < b.start ? -1 : 1)
      const place = (parent: string, depth: number): ReadonlyArray<unknown> =>
        inTrace.filter((row) => row.parentSpanId === parent).flatMap((row) => [
          spanJson(row, depth, rows),
          ...place(row.spanId, depth + 1)
        ])
      return { traceId: id, spans: place("", 0) }
    }
    if (kind === "conversations") {
      const calls = listed.filter((call) => call.conversation === id)
      const traces = new Set(calls.flatMap((call) => call.traces))
      const turns = rows.filter((row) => Reading.isTurn(row) && traces.has(row.traceId))
      return {
        id,
        turns: turns.toSorted((a, b) => a.start < b.start ? -1 : 1).map((row) => ({
          at: format(row.start),
          span: { traceId: row.traceId, spanId: row.spanId, name: row.name },
          durationMillis: millisBetween(row.start, row.end),
          model: "claude-x",
          failed: false,
          calls: calls.filter((call) => call.traces[0] === row.traceId)
        }))
      }
    }
    const tools = Map.groupBy(listed, ({ tool }) => tool)
    return {
      tools: [...tools].map(([tool, calls]) => ({
        tool,
        known: true,
        calls: calls.length,
        failures: calls.filter(({ outcome }) => outcome === "failure").length,
        p50: 180,
        p95: 412,
        faults: calls.reduce((sum, { faults }) => sum + faults, 0)
      })).toSorted((a, b) => b.calls - a.calls)
    }
  }
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1")
    if (url.pathname === "/api/live") {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
      response.write(": hello\n\n")
      listeners.add(response)
      response.on("close", () => listeners.delete(response))
      return
    }
    if (url.pathname.startsWith("/api/")) {
      answer(url).then((value) => {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value))
      }, () => response.writeHead(500).end())
      return
    }
    if (!page(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
}
