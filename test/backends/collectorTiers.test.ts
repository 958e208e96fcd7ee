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
})

describe("gateway.yaml", () => {
  it(
    "gives all spans of a trace to one collector of the second tier, and Prometheus adds up what both count",
    async () => {
      await using scratch = Program.scratch()
      await using prometheus = await PrometheusProcess.start(scratch.folder)
      const tier = async (HOSTNAME: string) => {
        const own = Program.scratch()
        const sink = await GrpcSink.make()
        const collector = await CollectorProcess.start({
          folder: own.folder,
          files: ["collector.yaml", "overlays/tier2.yaml"],
          traces: sink.address,
          metrics: prometheus.otlp,
          env: { HOSTNAME }
        })
        return { own, sink, collector }
      }
      const tiers = [await tier("one"), await tier("two")]
      const hostnames = JSON.stringify(tiers.map(({ collector }) => collector.grpc))
      try {
        await using gateway = await CollectorProcess.start({
          folder: scratch.folder,
          files: ["gateway.yaml"],
          more: `exporters: { load_balancing: { resolver: { dns: null, static: { hostnames: ${hostnames} } } } }\n`
        })
        // Roots first, then the spans beneath them, in requests of 50.
        const ordered = [0, 1].flatMap((place) =>
          traces.flatMap(({ rows }) => rows.flatMap((spans) => spans[place] ?? []))
        )
        for (let at = 0; at < ordered.length; at += 50) {
          const body = Buffer.concat(ordered.slice(at, at + 50).map(protobuf))
          assert.strictEqual(await CollectorProcess.send(gateway.url, body), 200)
        }
        await Program.until(
          "every span",
          () => tiers.reduce((sum, { sink }) => sum + sink.rows().length, 0) === all.length ? true : undefined
        )
        const shares = tiers.map(({ sink }) => whole(sink.rows()))
        process.stdout.write(`gateway: ${shares.join(" and ")} whole traces of ${all.length / 2}\n`)
        assert.strictEqual(shares.reduce((sum, share) => sum + share, 0), all.length / 2)
        for (const share of shares) assert.isAbove(share, all.length / 10)
        const counted = await Program.until("every call is counted", async () => {
          const series = await prometheus.ask("toolspan_stage_calls_total")
          return series.reduce((sum, { value }) => sum + value, 0) === count ? series : undefined
        })
        assert.sameMembers(counted.map(({ labels }) => labels["instance"]), ["one", "two"])
      } finally {
        for (const { collector, own, sink } of tiers) {
          await collector.stop()
          await sink[Symbol.asyncDispose]()
          await own[Symbol.asyncDispose]()
        }
      }
    },
    120_000
  )
})
