import { assert, beforeAll, describe, it } from "vitest"
import { ensureCollector } from "../../scripts/collector.ts"
import { ensure } from "../../scripts/programs.ts"
import type { AttributeValue, SpanRow } from "../../src/otlp/SpanRow.ts"
import { protobuf } from "../otlp/body.ts"
import { row } from "../store/rows.ts"
import * as CollectorProcess from "./CollectorProcess.ts"
import * as GrpcSink from "./GrpcSink.ts"
import * as Program from "./Program.ts"
import * as PrometheusProcess from "./PrometheusProcess.ts"

beforeAll(() => {
  ensureCollector()
  ensure("prometheus")
})

/** Traces are numbered where samplers look: in the low bytes, well spread. */
const traceId = (number: number): string =>
  (BigInt(number + 1) * 0x9e3779b97f4a7c15f39cc0605cedc835n % (1n << 128n)).toString(16).padStart(32, "0")

let spans = 0
const span = (
  trace: number,
  attributes: Readonly<Record<string, AttributeValue>> = {},
  more: Partial<SpanRow> = {}
): SpanRow => ({ ...row(++spans, { attributes }), traceId: traceId(trace), ...more })

const count = 300
const kinds = {
  plain: () => ({}),
  call: () => ({ "toolspan.stage": "decision", "gen_ai.tool.name": "pay" }),
  consumer: () => ({ "toolspan.link.consumes": "0123456789abcdef" }),
  violation: () => ({ "toolspan.violation.count": 1n }),
  error: () => ({})
}

/** So many traces of each kind: a root, and a span beneath it that has what makes the trace worth keeping. */
const traces = Object.entries(kinds).map(([kind, given], index) => ({
  kind,
  rows: Array.from({ length: count }, (_, number) => {
    const trace = index * count + number
    return [
      span(trace),
      span(trace, given(), kind === "error" ? { status: { code: 2, message: "" } } : {})
    ]
  })
}))
const all = traces.flatMap(({ rows }) => rows.flat())

const whole = (rows: ReadonlyArray<SpanRow>): number => {
  const sizes = new Map<string, number>()
  for (const { traceId } of rows) sizes.set(traceId, (sizes.get(traceId) ?? 0) + 1)
  return [...sizes.values()].filter((size) => size === 2).length
}

describe("overlays/sampling.yaml", () => {
  it(
    "keeps every trace with a tool call, an error or a violation whole, a tenth of the rest, and counts all",
    async () => {
      await using scratch = Program.scratch()
      await using sink = await GrpcSink.make()
      await using prometheus = await PrometheusProcess.start(scratch.folder)
      await using collector = await CollectorProcess.start({
        folder: scratch.folder,
        files: ["collector.yaml", "overlays/sampling.yaml"],
        traces: sink.address,
        metrics: prometheus.otlp,
        env: { DECISION_WAIT: "2s" }
      })
      assert.strictEqual(await CollectorProcess.send(collector.url, Buffer.concat(all.map(protobuf))), 200)
      const kept = (kind: string) => {
        const ids = new Set(traces.find((one) => one.kind === kind)?.rows.map(([root]) => root?.traceId))
        return whole(sink.rows().filter(({ traceId }) => ids.has(traceId)))
      }
      await Program.until(
        "each is decided on",
        async () =>
          await collector.own("otelcol_processor_tail_sampling_global_count_traces_sampled") >= all.length / 2
            ? true
            : undefined
      )
      const worthy = ["call", "consumer", "violation", "error"]
      await Program.until("every trace that is worth it", () =>
        worthy.every((kind) => kept(kind) === count)
          ? true
          : undefined)
      const plain = kept("plain")
      process.stdout.write(
        `tail sampling: ${plain} of ${count} plain traces kept, ${count} of ${count} of ${worthy.join(", ")}\n`
      )
      assert.isAbove(plain, count * 0.03)
      assert.isBelow(plain, count * 0.2)
      await Program.until("every call is counted", async () => {
        const [sum] = await prometheus.ask("sum(toolspan_stage_calls_total)")
        return sum?.value === count ? true : undefined
      })
      const sent = sink.rows().map(({ spanId }) => spanId)
      assert.strictEqual(new Set(sent).size, sent.length, "no span is stored twice")
    },
    120_000
  )

  it("keeps what belongs to a call, an error or a violation also when its trace was decided on before", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      files: ["collector.yaml", "overlays/sampling.yaml"],
      traces: sink.address,
      env: { DECISION_WAIT: "1s" }
    })
    // A turn of a minute: the app's own quick spans come long before the first span of a call.
    const plain = Array.from({ length: 100 }, (_, number) => span(10_000 + number))
    assert.strictEqual(await CollectorProcess.send(collector.url, Buffer.concat(plain.map(protobuf))), 200)
    const decided = () => collector.own("otelcol_processor_tail_sampling_global_count_traces_sampled")
    await Program.until("every trace is decided on", async () => await decided() >= plain.length ? true : undefined)
    const rest = sink.rows().length
    assert.isBelow(rest, plain.length / 2)
    const late = plain.flatMap(({ traceId }) => [
      { ...span(0, { "toolspan.stage": "decision" }), traceId },
      { ...span(0, { "toolspan.stage": "approval", "toolspan.approval.event": "resolved" }), traceId },
      { ...span(0, { "gen_ai.operation.name": "chat" }), traceId },
      { ...span(0, { "toolspan.violation.count": 1n }), traceId },
      { ...span(0, {}, { name: "LanguageModel.streamText" }), traceId },
      { ...span(0, {}, { status: { code: 2, message: "" } }), traceId }
    ])
    assert.strictEqual(await CollectorProcess.send(collector.url, Buffer.concat(late.map(protobuf))), 200)
    const wanted = new Set(late.map(({ spanId }) => spanId))
    const arrived = () => sink.rows().filter(({ spanId }) => wanted.has(spanId)).length
    await Program.until("every late span", () => arrived() === wanted.size ? true : undefined, 20).catch(() => {})
    assert.strictEqual(arrived(), wanted.size)
  })

  it("loses nothing when it is ended in order: traces that wait are decided on, and stored after the next start", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    const ports = await Program.freePorts(4)
    const start = () =>
      CollectorProcess.start({
        folder: scratch.folder,
        files: ["collector.yaml", "overlays/sampling.yaml"],
        traces: sink.address,
        ports
      })
    const rows = traces.find(({ kind }) => kind === "call")?.rows.flat() ?? []
    await using collector = await start()
    assert.strictEqual(await CollectorProcess.send(collector.url, Buffer.concat(rows.map(protobuf))), 200)
    await Program.until("the calls", () => sink.rows().length === count ? true : undefined)
    assert.strictEqual(await collector.stop("SIGTERM"), 0)
    await using again = await start()
    await Program.until("what was around them", () => whole(sink.rows()) === count ? true : undefined)
    assert.strictEqual(await again.own("otelcol_exporter_send_failed_spans"), 0)
    assert.strictEqual(sink.rows().length, rows.length)
  })
})

/** A collector of the second tier with a trace store of its own. */
const tier = async (HOSTNAME: string, options: Partial<CollectorProcess.Options> = {}) => {
  const own = Program.scratch()
  const sink = await GrpcSink.make()
  const ports = await Program.freePorts(4)
  const start = () =>
    CollectorProcess.start({
      folder: own.folder,
      files: ["collector.yaml", "overlays/tier2.yaml"],
      traces: sink.address,
      env: { HOSTNAME },
      ports,
      ...options
    })
  let collector = await start()
  return {
    sink,
    grpc: collector.grpc,
    kill: () => collector.stop(),
    restart: async () => void (collector = await start()),
    [Symbol.asyncDispose]: async () => {
      await collector.stop()
      await sink[Symbol.asyncDispose]()
      await own[Symbol.asyncDispose]()
    }
  }
}

/** What tells the gateway which collectors there are, in the place of names. */
const resolver = (...tiers: ReadonlyArray<{ readonly grpc: string }>): string =>
  `exporters: { load_balancing: { resolver: { dns: null, static: { hostnames: ${
    JSON.stringify(tiers.map(({ grpc }) => grpc))
  } } } } }\n`

/** In requests of 50: roots first, then the spans beneath them. */
const requests = (): ReadonlyArray<ReadonlyArray<SpanRow>> => {
  const ordered = [0, 1].flatMap((place) => traces.flatMap(({ rows }) => rows.flatMap((spans) => spans[place] ?? [])))
  return Array.from(
    { length: Math.ceil(ordered.length / 50) },
    (_, index) => ordered.slice(index * 50, index * 50 + 50)
  )
}

describe("gateway.yaml", () => {
  it(
    "gives all spans of a trace to one collector of the second tier, and Prometheus adds up what both count",
    async () => {
      await using scratch = Program.scratch()
      await using prometheus = await PrometheusProcess.start(scratch.folder)
      await using one = await tier("one", { metrics: prometheus.otlp })
      await using two = await tier("two", { metrics: prometheus.otlp })
      await using gateway = await CollectorProcess.start({
        folder: scratch.folder,
        files: ["gateway.yaml"],
        more: resolver(one, two)
      })
      for (const rows of requests()) {
        assert.strictEqual(await CollectorProcess.send(gateway.url, Buffer.concat(rows.map(protobuf))), 200)
      }
      await Program.until(
        "every span",
        () => one.sink.rows().length + two.sink.rows().length === all.length ? true : undefined
      )
      const shares = [one, two].map(({ sink }) => whole(sink.rows()))
      process.stdout.write(`gateway: ${shares.join(" and ")} whole traces of ${all.length / 2}\n`)
      assert.strictEqual(shares.reduce((sum, share) => sum + share, 0), all.length / 2)
      for (const share of shares) assert.isAbove(share, all.length / 10)
      const counted = await Program.until("every call is counted", async () => {
        const series = await prometheus.ask("toolspan_stage_calls_total")
        return series.reduce((sum, { value }) => sum + value, 0) === count ? series : undefined
      })
      assert.sameMembers(counted.map(({ labels }) => labels["instance"]), ["one", "two"])
    },
    120_000
  )

  it(
    "acknowledges nothing that it would lose: not when a collector of the second tier is gone, nor when it is killed",
    async () => {
      await using scratch = Program.scratch()
      await using one = await tier("one")
      await using two = await tier("two")
      const start = () =>
        CollectorProcess.start({ folder: scratch.folder, files: ["gateway.yaml"], more: resolver(one, two) })
      const acknowledged = new Set<string>()
      const give = async (url: string, rows: ReadonlyArray<SpanRow>) => {
        const status = await CollectorProcess.send(url, Buffer.concat(rows.map(protobuf)))
        if (status === 200) { for (const { spanId } of rows) acknowledged.add(spanId) }
        return { rows, status }
      }
      const missing = () => {
        const there = new Set([one, two].flatMap(({ sink }) => sink.rows().map(({ spanId }) => spanId)))
        return [...acknowledged].filter((id) => !there.has(id)).length
      }
      const given = requests()
      const gateway = await start()
      for (const rows of given.slice(0, 20)) assert.strictEqual((await give(gateway.url, rows)).status, 200)
      await two.kill()
      const answers = await Promise.all(given.slice(20).map((rows) => give(gateway.url, rows)))
      await gateway.stop()
      await two.restart()
      await Program.until("what was acknowledged", () => missing() === 0 ? true : undefined, 20).catch(() => {})
      const refused = answers.filter(({ status }) => status !== 200)
      process.stdout.write(
        `gateway, one of two collectors gone, then killed: ${acknowledged.size} spans acknowledged, ${missing()} lost, ` +
          `${refused.length} of ${answers.length} requests answered ${refused[0]?.status}\n`
      )
      assert.strictEqual(missing(), 0)
      for (const { status } of refused) assert.strictEqual(status, 503)
      await using again = await start()
      for (const { rows } of refused) assert.strictEqual((await give(again.url, rows)).status, 200)
      await Program.until("every span", () => acknowledged.size === all.length && missing() === 0 ? true : undefined)
    },
    120_000
  )

  it("waits for a collector of the second tier that comes back at once, and gives no span twice", async () => {
    await using scratch = Program.scratch()
    await using one = await GrpcSink.make()
    await using two = await GrpcSink.make()
    await using gateway = await CollectorProcess.start({
      folder: scratch.folder,
      files: ["gateway.yaml"],
      more: resolver(...[one, two].map(({ address }) => ({ grpc: address })))
    })
    await Promise.all([one.connected, two.connected])
    await two.goDown()
    const given = requests().slice(0, 10)
    const answers = given.map((rows) => CollectorProcess.send(gateway.url, Buffer.concat(rows.map(protobuf))))
    // What is of traces of the other one arrives meanwhile.
    await Program.until("the half of it", () => one.rows().length > 0 ? true : undefined)
    await two.comeUp()
    assert.deepStrictEqual(new Set(await Promise.all(answers)), new Set([200]))
    const arrived = [...one.rows(), ...two.rows()].map(({ spanId }) => spanId)
    assert.sameMembers(arrived, given.flat().map(({ spanId }) => spanId))
  })
})
