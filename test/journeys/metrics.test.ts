import { assert, beforeAll, describe, expect, it } from "vitest"
import { run } from "./child.ts"
import { type Line, programs, remove } from "./installation.ts"
import { metricPoints } from "./otlpMetrics.ts"
import { otlpSink, type SentSpan } from "./otlpSink.ts"

const limit = 120_000

const preloaded = ["--import", "toolspan/auto", "metrics.mjs"]

/** The counters of the contract, counted from spans as a collector does. */
const counted = (spans: ReadonlyArray<SentSpan>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  const count = (name: string, { attributes }: Pick<SentSpan, "attributes">, ...labels: ReadonlyArray<string>) => {
    const told = labels.flatMap((label) => {
      const value = attributes[label] ?? (label === "gen_ai.tool.name" ? "_unknown" : undefined)
      return value === undefined ? [] : [`${label}=${String(value)}`]
    })
    const key = `${name}{${told.toSorted().join(",")}}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  for (const span of spans) {
    const stage = span.attributes["toolspan.stage"]
    if (span.attributes["gen_ai.operation.name"] === "chat") {
      count("gen_ai.client.inference.calls", span, "gen_ai.provider.name", "gen_ai.request.model", "error.type")
    }
    if (stage === "execution") {
      count(
        "gen_ai.execute_tool.calls",
        span,
        "gen_ai.tool.name",
        "gen_ai.tool.type",
        "error.type",
        "gen_ai.agent.name"
      )
    }
    if (stage !== undefined) {
      count(
        "toolspan.stage.calls",
        span,
        "toolspan.stage",
        "gen_ai.tool.name",
        "toolspan.outcome",
        "toolspan.approval.state",
        "toolspan.approval.event",
        "toolspan.result.origin",
        "toolspan.provider_executed"
      )
    }
    if (span.attributes["toolspan.approval.wait"] !== undefined) {
      count("toolspan.approval.wait.calls", span, "gen_ai.tool.name", "toolspan.approval.state")
    }
    for (const event of span.events) {
      if (event.name === "toolspan.violation") count("toolspan.violation.events", event, "toolspan.violation.kind")
    }
  }
  return counts
}

describe.each<{ line: Line }>([{ line: "4.1.0" }, { line: "4.0.0-rc.112" }])(
  "metrics of a program that exports its own, effect $line",
  ({ line }) => {
    let folder: string

    beforeAll(async () => {
      folder = await programs(line)
      return () => remove(folder)
    }, 180_000)

    const attempt = async (env: Readonly<Record<string, string>>) => {
      await using sink = await otlpSink()
      const ended = await run(folder, preloaded, { SINK: sink.url, ...env })
      assert.deepStrictEqual(ended, { code: 0, signal: null, out: "", errors: "" })
      const bodies = sink.bytes()
      const spans = sink.spans()
      return { bodies, spans, points: metricPoints(bodies) }
    }

    it("arrive over OTLP with the names, labels and values of the contract, those that the spans give", async () => {
      const { points, spans } = await attempt({ TOOLSPAN_METRICS: "true" })
      const text = ({ labels, name }: typeof points[number]) =>
        `${name}{${Object.entries(labels).map(([key, value]) => `${key}=${value}`).join(",")}}`
      const counters = points.filter((point) => point.kind === "counter")
      assert.deepStrictEqual(
        Object.fromEntries(counters.map((point) => [text(point), point.value])),
        counted(spans)
      )
      // Each histogram has as many values as its counter, in seconds and in the buckets of the contract.
      for (const point of points.filter(({ kind }) => kind === "histogram")) {
        const { unit, ...labels } = point.labels
        assert.strictEqual(unit, "s")
        assert.strictEqual(point.unit, "s")
        const counter = text({ ...point, labels, name: point.name.replace(/duration$/, "calls") })
        assert.strictEqual(point.value, counters.find((other) => text(other) === counter)?.value, counter)
        assert.isTrue(point.sum >= 0 && point.sum < 60)
        assert.deepStrictEqual(
          [point.bounds[0], point.bounds.at(-1), point.bounds.length],
          point.name === "toolspan.approval.wait.duration" ? [1, 86400, 12] : [0.01, 81.92, 14]
        )
      }
      await expect(points.map((point) => `${text(point)} ${point.value}`).toSorted().join("\n"))
        .toMatchFileSnapshot(`__snapshots__/metrics-${line}.txt`)
    }, limit)

    it("have no id and no invented name in any label", async () => {
      const { points } = await attempt({ TOOLSPAN_METRICS: "true" })
      assert.isNotEmpty(points)
      assert.notMatch(JSON.stringify(points.map(({ labels }) => labels)), /invented|"[a-g]\d"/)
    }, limit)

    it("are not there unless asked for", async () => {
      const { bodies, spans } = await attempt({})
      assert.isNotEmpty(spans)
      assert.deepStrictEqual(metricPoints(bodies).filter(({ name }) => /^(gen_ai|toolspan)/.test(name)), [])
    }, limit)
  }
)
