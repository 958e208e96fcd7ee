import { assert, beforeAll, describe, it } from "vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import { ensureCollector } from "../../scripts/collector.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { protobuf } from "../otlp/body.ts"
import { attributes, link, row } from "../store/rows.ts"
import * as CollectorProcess from "./CollectorProcess.ts"
import * as GrpcSink from "./GrpcSink.ts"
import * as Program from "./Program.ts"

beforeAll(() => {
  ensureCollector()
})

const tell = (text: string): void => void process.stdout.write(`${text}\n`)

/** Sends spans request by request, and notes which were acknowledged and how long an answer took. */
const sender = (text = "") => {
  const acknowledged = new Set<string>()
  let made = 0
  let longest = 0
  let refused = 0
  return {
    acknowledged,
    longest: () => Math.round(longest),
    refused: () => refused,
    sent: () => made,
    /** Answers the status, 0 for none within `patience` milliseconds. */
    send: async (url: string, size: number, patience: number): Promise<number> => {
      const spans = Array.from({ length: size }, () => row(++made, { attributes: { text } }))
      const began = performance.now()
      const answer = await fetch(`${url}/v1/traces`, {
        method: "POST",
        body: Buffer.concat(spans.map(protobuf)),
        headers: { "content-type": "application/x-protobuf" },
        signal: AbortSignal.timeout(patience)
      }).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      longest = Math.max(longest, performance.now() - began)
      if (answer?.status === 200) { for (const { spanId } of spans) acknowledged.add(spanId) }
      else refused += size
      return answer?.status ?? 0
    }
  }
}

const missing = (acknowledged: ReadonlySet<string>, rows: ReadonlyArray<SpanRow>): number => {
  const arrived = new Set(rows.map(({ spanId }) => spanId))
  return [...acknowledged].filter((id) => !arrived.has(id)).length
}

/** Waits until everything acknowledged has arrived; answers how long that took, in milliseconds. */
const delivered = async (acknowledged: ReadonlySet<string>, sink: GrpcSink.GrpcSink, seconds = 60): Promise<number> => {
  const began = performance.now()
  await Program.until(
    `${missing(acknowledged, sink.rows())} of ${acknowledged.size} acknowledged spans`,
    () => missing(acknowledged, sink.rows()) === 0 ? true : undefined,
    seconds
  )
  return Math.round(performance.now() - began)
}

/** A real app with `register`: what its calls took, in milliseconds, and the longest turn of ten. */
const app = async (url: string) => {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "hostileCalls.ts"), "2000"], {
    env: {
      PATH: process.env["PATH"],
      OTEL_SERVICE_NAME: "app",
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_TIMEOUT: "1000"
    },
    stdio: ["ignore", "pipe", "ignore"]
  })
  let said = ""
  child.stdout.on("data", (text) => said += String(text))
  const code = await new Promise((resolve) => child.once("close", resolve))
  assert.strictEqual(code, 0)
  return JSON.parse(said) as { readonly calls: number; readonly millis: number; readonly longest: number }
}

describe("nothing acknowledged is lost, and nothing blocks the app", () => {
  it("when the trace store is down for 30 s", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
    const { acknowledged, longest, refused, send, sent } = sender()
    const pace = async (seconds: number): Promise<void> => {
      const end = performance.now() + seconds * 1000
      while (performance.now() < end) {
        assert.strictEqual(await send(collector.url, 50, 5_000), 200)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    await pace(1)
    await sink.goDown()
    await pace(30)
    const queued = await collector.own("otelcol_exporter_queue_size")
    await sink.comeUp()
    const millis = await delivered(acknowledged, sink)
    const twice = sink.rows().length - new Set(sink.rows().map(({ spanId }) => spanId)).size
    tell(
      `store down for 30 s: ${sent()} spans sent, ${refused()} refused, ${queued} queued at its end, all there ` +
        `${millis} ms after it was up, ${twice} twice, longest answer ${longest()} ms`
    )
    assert.isAbove(queued, 1_000)
    assert.isBelow(longest(), 2_000)
    // gRPC connects again after 1, 1.6, 2.6 … s, each up to a fifth more: after 30 s that is up to 21 s, and then the queue is sent.
    assert.isBelow(millis, 30_000)
  }, 120_000)

  it("when the collector is killed with a full queue; an app with it goes on at its own pace", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await sink.goDown()
    const ports = await Program.freePorts(4)
    const start = () => CollectorProcess.start({ folder: scratch.folder, traces: sink.address, ports })
    const { acknowledged, send } = sender()
    await using collector = await start()
    const calm = await app(`http://127.0.0.1:${(await Program.freePorts(1))[0]}`)
    // Senders wait when the queue is full: the first that waits for two seconds tells that it is.
    let status = 200
    while (status === 200) status = await send(collector.url, 2_000, 2_000)
    const queued = await collector.own("otelcol_exporter_queue_size", "traces")
    const capacity = await collector.own("otelcol_exporter_queue_capacity", "traces")
    const full = await app(collector.url)
    await collector.stop("SIGKILL")
    const size = fs.readdirSync(path.join(scratch.folder, "queue"))
      .reduce((sum, file) => sum + fs.statSync(path.join(scratch.folder, "queue", file)).size, 0)
    await sink.comeUp()
    await using again = await start()
    const millis = await delivered(acknowledged, sink, 120)
    tell(
      `collector killed with ${queued} of ${capacity} spans queued (${Math.round(size / 1e6)} MB on disk): all ` +
        `${acknowledged.size} acknowledged there ${millis} ms after the restart; 2,000 calls of an app took ` +
        `${Math.round(full.millis)} ms, ${Math.round(calm.millis)} ms without a collector`
    )
    assert.strictEqual(await send(again.url, 1, 10_000), 200)
    assert.isAtLeast(queued, capacity * 0.95)
    assert.isBelow(full.millis, calm.millis * 5 + 1_000)
  }, 240_000)

  it("when the disk of the queue is full", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await sink.goDown()
    const queue = path.join(scratch.folder, "queue")
    fs.mkdirSync(queue)
    // A file system of 16 MiB of its own, which only this process sees and which ends with it.
    const mount = "mount -t tmpfs -o size=16m tmpfs \"$0\" && exec \"$@\""
    const own = process.getuid?.() === 0 ? ["unshare", "--mount"] : ["unshare", "--user", "--map-root-user", "--mount"]
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      traces: sink.address,
      runner: [...own, "sh", "-c", mount, queue]
    })
    const { acknowledged, longest, send } = sender("x".repeat(1_000))
    let status = 200
    while (status === 200) status = await send(collector.url, 500, 5_000)
    const refusals = [status, await send(collector.url, 500, 5_000), await send(collector.url, 500, 5_000)]
    const before = acknowledged.size
    await sink.comeUp()
    const millis = await delivered(acknowledged, sink)
    await Program.until(
      "it takes spans again",
      async () => await send(collector.url, 10, 5_000) === 200 ? true : undefined
    )
    await delivered(acknowledged, sink)
    tell(
      `disk of the queue full (16 MiB) after ${before} spans: further ones answered ${refusals.join(", ")}, all ` +
        `acknowledged there ${millis} ms after the store was up, spans taken again, longest answer ${longest()} ms`
    )
    for (const refusal of refusals) assert.isAtLeast(refusal, 500)
    assert.isAbove(before, 1_000)
  }, 120_000)

  it("when a span of 10 MB comes, or one of 5 MB", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
    const before = await collector.own("otelcol_process_memory_rss")
    const large = (number: number, size: number) => protobuf(row(number, { attributes: { text: "x".repeat(size) } }))
    const status = await CollectorProcess.send(collector.url, large(1, 10_000_000))
    assert.strictEqual(await CollectorProcess.send(collector.url, large(2, 5_000_000)), 200)
    assert.strictEqual(await CollectorProcess.send(collector.url, protobuf(row(3))), 200)
    const rows = await Program.until("the other two", () => sink.rows().length === 2 ? sink.rows() : undefined)
    const [cut] = rows.find(({ spanId }) => spanId === row(2).spanId)?.attributes ?? []
    const left = typeof cut?.value === "string" ? cut.value.length : 0
    const memory = await collector.own("otelcol_process_memory_rss")
    tell(
      `a span of 10 MB is answered ${status}, one of 5 MB is taken and cut to ${left} bytes, ` +
        `the next one arrives; memory ${Math.round(before / 1e6)} to ${Math.round(memory / 1e6)} MB`
    )
    assert.isAtLeast(status, 400)
    assert.isBelow(status, 500)
    assert.strictEqual(left, 16_384)
    assert.isBelow(memory, 400e6)
  })

  it("when large spans come together: none is refused by a store that takes 4 MiB a message", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
    const { acknowledged, send } = sender("x".repeat(15_000))
    await Promise.all(Array.from({ length: 20 }, () => send(collector.url, 200, 20_000)))
    assert.strictEqual(acknowledged.size, 4_000)
    await delivered(acknowledged, sink)
    tell(`4,000 spans of 15 kB in twenty requests: largest message to the store ${sink.largest()} bytes`)
    assert.isBelow(sink.largest(), 4 * 1024 * 1024)
  })

  it("when what comes is no OTLP", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
    const good = protobuf(row(1))
    const json = { "content-type": "application/json" }
    const answers = [
      await CollectorProcess.send(collector.url, "no OTLP"),
      await CollectorProcess.send(collector.url, good.subarray(0, good.length - 3)),
      await CollectorProcess.send(collector.url, Buffer.alloc(1_000_000, 0xff)),
      await CollectorProcess.send(collector.url, "{\"resourceSpans\":[{\"scopeSpans\":7}]}", json),
      await CollectorProcess.send(collector.url, "[".repeat(100_000), json),
      await CollectorProcess.send(collector.url, good, { "content-type": "text/plain" }),
      await CollectorProcess.send(collector.url, "no gzip", { "content-encoding": "gzip" })
    ]
    tell(`malformed requests are answered ${answers.join(", ")}`)
    for (const answer of answers) {
      assert.isAtLeast(answer, 400)
      assert.isBelow(answer, 500)
    }
    assert.strictEqual(await CollectorProcess.send(collector.url, good), 200)
    await Program.until("the good one", () => sink.rows().length === 1 ? true : undefined)
  })

  it("when what comes over gRPC is no OTLP, or has 10 MB", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
    const { call, frame } = CollectorProcess
    const good = protobuf(row(1))
    const answers = [
      await call(collector.grpc, frame(Buffer.from("no OTLP"))),
      await call(collector.grpc, frame(good.subarray(0, good.length - 3))),
      await call(collector.grpc, frame(Buffer.alloc(1_000_000, 0xff))),
      // A message that is said to be longer than what comes, and one that is said to be compressed.
      await call(collector.grpc, frame(good).subarray(0, 40)),
      await call(collector.grpc, Buffer.concat([Buffer.from([1]), frame(good).subarray(1)])),
      await call(collector.grpc, frame(protobuf(row(2, { attributes: { text: "x".repeat(10_000_000) } }))))
    ]
    tell(`malformed and too large gRPC calls are answered ${answers.join(", ")}`)
    for (const answer of answers) assert.notInclude([0, -1], answer)
    assert.strictEqual(await call(collector.grpc, frame(good)), 0)
    await Program.until("the good one", () => sink.rows().length === 1 ? true : undefined)
  })

  it("when a small request unpacks to 200 MB", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
    const packed = gzipSync(Buffer.alloc(200_000_000))
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => CollectorProcess.send(collector.url, packed, { "content-encoding": "gzip" }))
    )
    const memory = await collector.own("otelcol_process_memory_rss")
    tell(
      `${packed.length} bytes that unpack to 200 MB, 8 at once: ${answers.join(", ")}, ${Math.round(memory / 1e6)} MB`
    )
    for (const answer of answers) {
      assert.isAtLeast(answer, 400)
      assert.isBelow(answer, 500)
    }
    assert.isBelow(memory, 400e6)
    assert.strictEqual(await CollectorProcess.send(collector.url, protobuf(row(1))), 200)
    await Program.until("the good one", () => sink.rows().length === 1 ? true : undefined)
  })

  it("when a span without ids comes: a store would refuse what it is sent with", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make({ strict: true })
    await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
    const spans = [
      row(1),
      { ...row(2), traceId: "" },
      { ...row(3), spanId: "" },
      { ...row(4), traceId: "0".repeat(32) },
      { ...row(5), spanId: "0".repeat(16) },
      row(6)
    ]
    assert.strictEqual(await CollectorProcess.send(collector.url, Buffer.concat(spans.map(protobuf))), 200)
    await Program.until("the good ones", () => sink.rows().length === 2 ? true : undefined, 10)
    // Nothing is dropped silently.
    assert.strictEqual(await collector.own("otelcol_processor_filter_spans_filtered", "filter/invalid"), 4)
  })

  it("when something else than an attribute of a span has 5 MB: it is stored, and so is what came with it", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make({ strict: true })
    await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
    const large = "x".repeat(5_000_000)
    const { resource, scope } = row(0)
    const texts = attributes({ large })
    const event = { time: 1n, name: "e", attributes: [], droppedAttributesCount: 0 }
    const hostile: Readonly<Record<string, Partial<SpanRow>>> = {
      "its name": { name: large },
      "its status": { status: { code: 2, message: large } },
      "its resource": { resource: { ...resource, attributes: texts } },
      "its scope": { scope: { ...scope, attributes: texts } },
      "the name of its scope": { scope: { ...scope, name: large } },
      "the name of an event": { events: [{ ...event, name: large }] },
      "its thousand events": {
        events: Array.from({ length: 1_000 }, () => ({ ...event, attributes: attributes({ a: "x".repeat(5_000) }) }))
      },
      "a link": { links: [{ ...link(1, 2), attributes: texts }] },
      "its trace state": { traceState: large }
    }
    let number = 0
    for (const [what, given] of Object.entries(hostile)) {
      const [before, span, after] = [row(++number), { ...row(++number), ...given }, row(++number)]
      const body = Buffer.concat([before, span, after].map(protobuf))
      assert.strictEqual(await CollectorProcess.send(collector.url, body), 200, what)
      const arrived = () =>
        [before, span, after].filter(({ spanId }) => sink.rows().some((one) => one.spanId === spanId))
      await Program.until(`${what}, and what came with it`, () => arrived().length === 3 ? true : undefined, 10)
    }
    tell(`spans with 5 MB in one place: largest message to the store ${sink.largest()} bytes`)
  })

  it("when the collector is killed while spans come in", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    const ports = await Program.freePorts(4)
    const start = () => CollectorProcess.start({ folder: scratch.folder, traces: sink.address, ports })
    const { acknowledged, send, sent } = sender()
    let collector = await start()
    try {
      for (const round of [1, 2, 3]) {
        let isOver = false
        const senders = Array.from({ length: 4 }, async () => {
          while (!isOver) await send(collector.url, 50, 5_000)
        })
        const wanted = acknowledged.size + 2_000
        await Program.until("2,000 spans more", () => acknowledged.size >= wanted ? true : undefined)
        await collector.stop("SIGKILL")
        isOver = true
        await Promise.all(senders)
        collector = await start()
        tell(`killed while spans came in, ${round}: ${acknowledged.size} of ${sent()} sent were acknowledged`)
      }
      tell(`all of them there ${await delivered(acknowledged, sink)} ms after the last restart`)
    } finally {
      await collector.stop()
    }
  }, 120_000)
})
