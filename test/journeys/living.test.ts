import { createServer, type IncomingHttpHeaders } from "node:http"
import { assert, beforeAll, describe, it } from "vitest"
import { register, run, sendTo } from "./child.ts"
import { programs, remove } from "./installation.ts"
import { otlpSink, type SentSpan } from "./otlpSink.ts"

const limit = 60_000
const traceId = "0af7651916cd43dd8448eb211c80319c"
const auto = ["--import", "toolspan/auto"]
const vendor = ["--import", "./vendor.mjs"]

let folder: string

beforeAll(async () => {
  folder = await programs("4.1.0")
  return () => remove(folder)
}, 180_000)

const attempt = async (imports: ReadonlyArray<string>, manner: string) => {
  await using theirs = await otlpSink()
  await using ours = await otlpSink()
  const asked: Array<IncomingHttpHeaders> = []
  const server = createServer((request, response) => {
    asked.push(request.headers)
    response.end("asked")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const ended = await run(folder, [...imports, "neighbours.mjs", manner], {
      ...sendTo(ours.url),
      SINK: theirs.url,
      DOWNSTREAM: `http://127.0.0.1:${(server.address() as { port: number }).port}`
    })
    assert.deepStrictEqual(ended, { code: 0, signal: null, out: "[\"asked\",\"asked\"]\n", errors: "" })
    return { asked, theirs: theirs.spans(), ours: ours.spans() }
  } finally {
    server.close()
  }
}

const names = (spans: ReadonlyArray<SentSpan>) => spans.map((span) => span.name).toSorted()

/** The spans of two turns with one call each. */
const stages = [
  "chat",
  "chat",
  "execute_tool ask",
  "execute_tool ask",
  "tool_call ask",
  "tool_call ask",
  "tool_result ask",
  "tool_result ask"
]
const turns = ["LanguageModel.generateText", "LanguageModel.streamText", "answer"]
const ofTheApp = ["request"]

const manners = [
  { manner: "effect's own exporter", ways: { register, auto }, otel: false, active: false },
  { manner: "NodeSdk of @effect/opentelemetry", ways: { register, auto }, otel: true, active: true },
  { manner: "sdk-node and a layer", ways: { register, auto }, otel: true, active: true },
  { manner: "sdk-node", ways: { register }, otel: true, active: false },
  {
    manner: "vendor and a layer",
    ways: {
      "register after it": [...vendor, ...register],
      "register before it": [...register, ...vendor],
      auto: [...vendor, ...auto]
    },
    otel: true,
    active: true
  },
  {
    manner: "vendor",
    ways: { "register after it": [...vendor, ...register], "register before it": [...register, ...vendor] },
    otel: true,
    active: false
  }
]

describe.concurrent.each(manners)("an app that traces by $manner", ({ active, manner, otel, ways }) => {
  it.each(Object.entries(ways))("keeps all spans in its one trace, each once, under %s", async (_, imports) => {
    const { asked, ours, theirs } = await attempt(imports, manner)
    const requests = manner === "NodeSdk of @effect/opentelemetry" || !otel ? [] : ofTheApp
    assert.deepStrictEqual(names(theirs), [...turns, ...requests, ...stages].toSorted())
    assert.deepStrictEqual(names(ours).filter((name) => name !== "request"), [])
    assert.deepStrictEqual([...new Set(theirs.map((span) => span.traceId))], [traceId])
    assert.deepStrictEqual([...new Set(theirs.map((span) => span.service))], ["app"])
    if (!otel) return
    assert.deepStrictEqual([...new Set(theirs.map((span) => span.traceState))], ["vendor=opaque"])
    assert.lengthOf(asked, 2)
    for (const headers of asked) {
      assert.strictEqual(headers["baggage"], "user=ada")
      assert.strictEqual(headers["tracestate"], "vendor=opaque")
      const [, trace, parent] = String(headers["traceparent"]).split("-")
      assert.strictEqual(trace, traceId)
      // Without a layer of the bridge the OpenTelemetry context inside effects is that around them.
      const caller = [...theirs, ...ours].find((span) => span.spanId === parent)?.name
      assert.strictEqual(caller, active ? "execute_tool ask" : "request")
    }
  }, limit)
})
