import { createServer } from "node:net"
import { once } from "node:events"
import { assert, describe, it } from "vitest"
import { closedPort, run, start } from "../boot/programs/program.ts"
import { otlpSink } from "./otlpSink.ts"

const CALLS = 5000
const LIMIT = 60_000

const endings = [
  { ending: "end", code: 0 },
  { ending: "exit", code: 7 },
  { ending: "throw", code: 1 }
]

describe("a program under register", () => {
  it("leaves the app's own SIGTERM handler alone to decide", { timeout: LIMIT }, async () => {
    await using sink = await otlpSink()
    const program = start("signals.mjs", ["code"], { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url })
    await program.wrote("done")
    program.child.kill("SIGTERM")
    assert.strictEqual((await program.ended).code, 9)
    assert.deepStrictEqual(sink.spans().map((span) => span.name), ["before"])
  })

  it("does not end an app that ignores SIGTERM", { timeout: LIMIT }, async () => {
    await using sink = await otlpSink()
    const program = start("signals.mjs", ["ignore"], { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url })
    await program.wrote("done")
    program.child.kill("SIGTERM")
    await program.wrote("ignored")
    program.child.kill("SIGUSR2")
    assert.strictEqual((await program.ended).code, 3)
    assert.lengthOf(sink.spans(), 1)
  })

  it("is no listener to a library that ends the process when it listens alone", { timeout: LIMIT }, async () => {
    await using sink = await otlpSink()
    const program = start("signals.mjs", ["last-listener"], { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url })
    await program.wrote("done")
    program.child.kill("SIGTERM")
    assert.strictEqual((await program.ended).signal, "SIGTERM")
    assert.lengthOf(sink.spans(), 1)
  })

  it.each(endings)("runs and ends by $ending as it would alone when nobody listens, with one warning", {
    timeout: LIMIT
  }, async ({ ending, code }) => {
    const began = performance.now()
    const ended = await run("spans.mjs", [String(CALLS), ending], { OTEL_EXPORTER_OTLP_ENDPOINT: await closedPort() })
    assert.strictEqual(ended.code, code, ended.errors)
    assert.strictEqual(ended.out, "done\n")
    assert.lengthOf(ended.errors.match(/ToolspanWarning/g) ?? [], 1, ended.errors)
    assert.isBelow(performance.now() - began, 15_000)
  })

  it("waits for an endpoint that never answers for a few seconds only", { timeout: LIMIT }, async () => {
    const server = createServer(() => {}).listen(0, "127.0.0.1")
    await once(server, "listening")
    try {
      const { port } = server.address() as { port: number }
      const began = performance.now()
      const ended = await run("spans.mjs", ["3", "exit"], { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
      assert.strictEqual(ended.code, 7)
      assert.include(ended.errors, "3 spans")
      assert.isBelow(performance.now() - began, 20_000)
    } finally {
      server.close()
    }
  })

  it.each([{ OTEL_SDK_DISABLED: "true" }, { TOOLSPAN_DISABLED: "true" }, { OTEL_TRACES_EXPORTER: "none" }])(
    "sends nothing and says nothing with %o",
    { timeout: LIMIT },
    async (env) => {
      await using sink = await otlpSink()
      const ended = await run("spans.mjs", ["5"], { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, ...env })
      assert.deepStrictEqual(ended, { code: 0, signal: null, out: "done\n", errors: "" })
      assert.strictEqual(sink.bytes(), "")
    }
  )

  it(
    "names the service as the standard variables say, and sends neither metrics nor logs",
    { timeout: LIMIT },
    async () => {
      await using sink = await otlpSink()
      await run("spans.mjs", ["1"], {
        OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
        OTEL_SERVICE_NAME: "bakery",
        OTEL_RESOURCE_ATTRIBUTES: "team=bread"
      })
      assert.include(sink.bytes(), "bakery")
      assert.include(sink.bytes(), "\"bread\"")
      assert.notInclude(sink.bytes(), "resourceMetrics")
      assert.notInclude(sink.bytes(), "resourceLogs")
    }
  )

  it("obeys the standard sampler", { timeout: LIMIT }, async () => {
    await using sink = await otlpSink()
    await run("spans.mjs", ["5"], { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_TRACES_SAMPLER: "always_off" })
    assert.strictEqual(sink.bytes(), "")
  })

  it("sends protobuf unless told otherwise", { timeout: LIMIT }, async () => {
    await using sink = await otlpSink()
    await run("spans.mjs", ["1"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf"
    })
    assert.include(sink.bytes(), "span 0")
    assert.notInclude(sink.bytes(), "resourceSpans")
  })

  it("a bad setting is told once and the default holds", { timeout: LIMIT }, async () => {
    await using sink = await otlpSink()
    const ended = await run("spans.mjs", ["1"], { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, TOOLSPAN_CONTENT: "foo" })
    assert.lengthOf(ended.errors.match(/TOOLSPAN_CONTENT=foo/g) ?? [], 1)
    assert.lengthOf(sink.spans(), 1)
  })

  it("gives the spans to a provider that the app registers by hand", { timeout: LIMIT }, async () => {
    await using sink = await otlpSink()
    const ended = await run("provider.mjs", [], { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url })
    assert.strictEqual(ended.out, "mine\n", ended.errors)
    assert.lengthOf(sink.spans(), 0)
  })

  it("leaves the spans to a tracer layer of the app", { timeout: LIMIT }, async () => {
    await using sink = await otlpSink()
    const ended = await run("layer.mjs", [], { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url })
    assert.strictEqual(ended.out, "mine\n", ended.errors)
    assert.lengthOf(sink.spans(), 0)
  })
})
