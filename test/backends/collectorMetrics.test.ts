import { assert, beforeAll, describe, it } from "vitest"
import { spawn } from "node:child_process"
import * as path from "node:path"
import { ensureCollector } from "../../scripts/collector.ts"
import { ensure } from "../../scripts/programs.ts"
import type { AttributeValue, SpanRow } from "../../src/otlp/SpanRow.ts"
import { protobuf } from "../otlp/body.ts"
import { boards, promQueries } from "../dashboards/Boards.ts"
import { contentKeys } from "../collector/Files.ts"
import { filled } from "../dashboards/Grafana.ts"
import { attributes, row } from "../store/rows.ts"
import * as CollectorProcess from "./CollectorProcess.ts"
import * as GrpcSink from "./GrpcSink.ts"
import { mark } from "./hostileCalls.ts"
import * as Program from "./Program.ts"
import * as PrometheusProcess from "./PrometheusProcess.ts"

beforeAll(() => {
  ensureCollector()
  ensure("prometheus")
})

const resource: SpanRow["resource"] = {
  ...row(0).resource,
  attributes: attributes({
    "service.name": "shop",
    "service.namespace": "acme",
    "service.instance.id": "instance-1",
    "deployment.environment.name": "test",
    "host.name": "never-a-label"
  })
}
let made = 0
const span = (
  seconds: number,
  given: Readonly<Record<string, AttributeValue>>,
  more: Partial<SpanRow> = {}
): SpanRow => {
  const one = row(++made, { attributes: { "gen_ai.tool.call.id": `call-${made}`, ...given } })
  return { ...one, resource, end: one.start + BigInt(Math.round(seconds * 1e9)), ...more }
}
const violation = (kind: string) => ({
  time: 1n,
  name: "toolspan.violation",
  attributes: attributes({ "toolspan.violation.kind": kind, "gen_ai.tool.call.id": "call-0" }),
  droppedAttributesCount: 0
})
const ran = { "gen_ai.operation.name": "execute_tool", "toolspan.stage": "execution", "gen_ai.tool.type": "function" }
const pay = { "gen_ai.tool.name": "pay", "toolspan.provider_executed": false }
const chat = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "m" }

/** The known set. */
const known = (): ReadonlyArray<SpanRow> => [
  ...[0.03, 0.03, 3].map((seconds) =>
    span(seconds, {
      ...ran,
      ...pay,
      "gen_ai.agent.name": "clerk",
      "toolspan.outcome": "success",
      "toolspan.approval.state": "approved"
    })
  ),
  ...[100, 100].map((seconds) =>
    span(seconds, {
      ...ran,
      ...pay,
      "error.type": "Declined",
      "toolspan.outcome": "failure",
      "toolspan.approval.state": "not_required"
    })
  ),
  // An execution of another instrumentation, without a stage and a name.
  span(0.01, { "gen_ai.operation.name": "execute_tool" }),
  span(0, { ...pay, "toolspan.stage": "decision", "toolspan.approval.state": "pending" }, { name: "tool_call pay" }),
  span(0, { ...pay, "toolspan.stage": "approval", "toolspan.approval.event": "requested" }),
  span(0, {
    ...pay,
    "toolspan.stage": "approval",
    "toolspan.approval.event": "resolved",
    "toolspan.approval.state": "approved",
    "toolspan.approval.wait": 42.5
  }),
  // Whole seconds arrive as an integer.
  span(0, {
    ...pay,
    "toolspan.stage": "approval",
    "toolspan.approval.event": "resolved",
    "toolspan.approval.state": "approved",
    "toolspan.approval.wait": 7200n
  }),
  span(0, { ...pay, "toolspan.stage": "result", "toolspan.outcome": "success", "toolspan.result.origin": "handler" }),
  span(1, chat),
  span(2, { ...chat, "error.type": "RateLimited" }),
  span(1, { ...chat, "toolspan.violation.count": 3n }, {
    events: [
      violation("duplicate_execution"),
      violation("orphan_result"),
      violation("orphan_result"),
      { ...violation("never"), name: "other" }
    ]
  }),
  // The app's own span counts nowhere.
  span(5, { "gen_ai.tool.name": "app" })
]

const own = { job: "acme/shop", service_name: "shop", service_namespace: "acme", deployment_environment_name: "test" }
const clerk = { gen_ai_tool_name: "pay", gen_ai_tool_type: "function", gen_ai_agent_name: "clerk" }
const declined = { gen_ai_tool_name: "pay", gen_ai_tool_type: "function", error_type: "Declined" }
const unnamed = { gen_ai_tool_name: "_unknown" }
const asked = { gen_ai_provider_name: "anthropic", gen_ai_request_model: "m" }
const limited = { ...asked, error_type: "RateLimited" }
const paid = { gen_ai_tool_name: "pay", toolspan_provider_executed: "false" }
const waited = { gen_ai_tool_name: "pay", toolspan_approval_state: "approved" }

/** Every series but the buckets, with its value. */
const expected: ReadonlyArray<readonly [name: string, value: number, labels: Readonly<Record<string, string>>]> = [
  ["gen_ai_execute_tool_calls_total", 3, clerk],
  ["gen_ai_execute_tool_calls_total", 2, declined],
  ["gen_ai_execute_tool_calls_total", 1, unnamed],
  ["gen_ai_execute_tool_duration_seconds_count", 3, clerk],
  ["gen_ai_execute_tool_duration_seconds_count", 2, declined],
  ["gen_ai_execute_tool_duration_seconds_count", 1, unnamed],
  ["gen_ai_execute_tool_duration_seconds_sum", 3.06, clerk],
  ["gen_ai_execute_tool_duration_seconds_sum", 200, declined],
  ["gen_ai_execute_tool_duration_seconds_sum", 0.01, unnamed],
  ["gen_ai_client_inference_calls_total", 2, asked],
  ["gen_ai_client_inference_calls_total", 1, limited],
  ["gen_ai_client_inference_duration_seconds_count", 2, asked],
  ["gen_ai_client_inference_duration_seconds_count", 1, limited],
  ["gen_ai_client_inference_duration_seconds_sum", 2, asked],
  ["gen_ai_client_inference_duration_seconds_sum", 2, limited],
  ["toolspan_stage_calls_total", 3, {
    ...paid,
    toolspan_stage: "execution",
    toolspan_outcome: "success",
    toolspan_approval_state: "approved"
  }],
  ["toolspan_stage_calls_total", 2, {
    ...paid,
    toolspan_stage: "execution",
    toolspan_outcome: "failure",
    toolspan_approval_state: "not_required"
  }],
  ["toolspan_stage_calls_total", 1, { ...paid, toolspan_stage: "decision", toolspan_approval_state: "pending" }],
  ["toolspan_stage_calls_total", 1, { ...paid, toolspan_stage: "approval", toolspan_approval_event: "requested" }],
  ["toolspan_stage_calls_total", 2, {
    ...paid,
    toolspan_stage: "approval",
    toolspan_approval_event: "resolved",
    toolspan_approval_state: "approved"
  }],
  ["toolspan_stage_calls_total", 1, {
    ...paid,
    toolspan_stage: "result",
    toolspan_outcome: "success",
    toolspan_result_origin: "handler"
  }],
  ["toolspan_approval_wait_calls_total", 2, waited],
  ["toolspan_approval_wait_duration_seconds_count", 2, waited],
  ["toolspan_approval_wait_duration_seconds_sum", 7242.5, waited],
  ["toolspan_violation_events_total", 1, { toolspan_violation_kind: "duplicate_execution" }],
  ["toolspan_violation_events_total", 2, { toolspan_violation_kind: "orphan_result" }]
]

const text = (name: string, value: number, labels: Readonly<Record<string, string>>): string =>
  `${name} ${JSON.stringify(labels, Object.keys(labels).toSorted())} ${Number(value.toPrecision(9))}`

/** A collector, a Prometheus and a trace store together. */
const stack = async (
  test: (parts: {
    readonly collector: CollectorProcess.CollectorProcess
    readonly prometheus: PrometheusProcess.PrometheusProcess
    readonly sink: GrpcSink.GrpcSink
  }) => Promise<void>
): Promise<void> => {
  await using scratch = Program.scratch()
  await using sink = await GrpcSink.make()
  await using prometheus = await PrometheusProcess.start(scratch.folder)
  await using collector = await CollectorProcess.start({
    folder: scratch.folder,
    traces: sink.address,
    metrics: prometheus.otlp
  })
  await test({ collector, prometheus, sink })
}

/** Every name that begins like one of ours, with all labels, but the buckets. */
const ours = "{__name__=~\"(gen_ai|toolspan|calls|duration|traces).*\",__name__!~\".*_bucket\"}"

const named = async (prometheus: PrometheusProcess.PrometheusProcess, query: string) => {
  const found = await prometheus.ask(`label_replace(${query}, "metric", "$1", "__name__", "(.*)")`)
  return found.map(({ labels: { metric = "", ...labels }, value }) => ({ metric, labels, value }))
}

/** What an app sends that counts in its own process: a counter that is there from its first event on. */
const firstFault = () => {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  return {
    resourceMetrics: [{
      resource: { attributes: [text("service.name", "shop")] },
      scopeMetrics: [{
        metrics: [{
          name: "toolspan.violation.events",
          sum: {
            aggregationTemporality: 2,
            isMonotonic: true,
            dataPoints: [{
              asInt: "1",
              timeUnixNano: `${Date.now()}000000`,
              attributes: [text("toolspan.violation.kind", "orphan_result")]
            }]
          }
        }]
      }]
    }]
  }
}

/** A counter and a histogram of an app that have content wherever a metric has attributes. */
const telling = () => {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const content = contentKeys.map((key) => text(key, "secret"))
  const timeUnixNano = `${Date.now()}000000`
  const point = { timeUnixNano, attributes: [...content, text("app.kept", "kept")] }
  return {
    resourceMetrics: [{
      resource: { attributes: [text("service.name", "shop"), text("service.instance.id", "1"), ...content] },
      scopeMetrics: [{
        scope: { name: "app", attributes: content },
        metrics: [
          {
            name: "app.calls",
            sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...point, asInt: "1" }] }
          },
          {
            name: "app.seconds",
            histogram: {
              aggregationTemporality: 2,
              dataPoints: [{
                ...point,
                count: "1",
                sum: 1,
                bucketCounts: ["1", "0"],
                explicitBounds: [5],
                exemplars: [{
                  timeUnixNano,
                  asDouble: 1,
                  filteredAttributes: [...content, text("kept.exemplar", "kept exemplar")]
                }]
              }]
            }
          }
        ]
      }]
    }]
  }
}

const sendMetrics = async (url: string, body: unknown): Promise<number> => {
  const answer = await fetch(`${url}/v1/metrics`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  await answer.arrayBuffer()
  return answer.status
}

describe("metrics at Prometheus", () => {
  it("have exactly the names, labels and values of a known set of spans, and point to its traces", () =>
    stack(async ({ collector, prometheus }) => {
      const spans = known()
      const body = Buffer.concat(spans.map(protobuf))
      assert.strictEqual(await CollectorProcess.send(collector.url, body), 200)
      const total = expected.filter(([name]) => /_(calls|events)_total$/.test(name))
        .reduce((sum, [, value]) => sum + value, 0)
      await Program.until("every span is counted", async () => {
        const [sum] = await prometheus.ask(`sum({__name__=~".*_(calls|events)_total",service_name="shop"})`)
        return sum !== undefined && sum.value >= total ? true : undefined
      })
      const found = await named(prometheus, ours)
      assert.deepStrictEqual(
        found.map(({ labels, metric, value }) => text(metric, value, labels)).toSorted(),
        expected.map(([name, value, labels]) => text(name, value, { ...own, ...labels })).toSorted()
      )
      // A counter begins with a 0: the alert on a single duplicate execution sees the first event.
      const [first] = await prometheus.ask(
        "increase(toolspan_violation_events_total{toolspan_violation_kind=\"duplicate_execution\"}[10m])"
      )
      assert.isAtLeast(first?.value ?? 0, 1, "an increase sees the first event")
      const bucket = async (name: string, labels: string) =>
        Object.fromEntries(
          (await prometheus.ask(`${name}_bucket{${labels}}`)).map(({ labels, value }) => [labels["le"] ?? "", value])
        )
      const run = await bucket("gen_ai_execute_tool_duration_seconds", "gen_ai_agent_name=\"clerk\"")
      assert.strictEqual(Object.keys(run).length, 15)
      assert.include(run, { "0.02": 0, "0.04": 2, "2.56": 2, "5.12": 3, "81.92": 3, "+Inf": 3 })
      const wait = await bucket("toolspan_approval_wait_duration_seconds", "gen_ai_tool_name=\"pay\"")
      assert.include(wait, { "30": 0, "60": 1, "3600": 1, "14400": 2, "86400": 2, "+Inf": 2 })
      const exemplars = await prometheus.exemplars("gen_ai_execute_tool_duration_seconds_bucket")
      assert.include(exemplars, `"trace_id":"${spans[0]?.traceId}"`)
    }))

  it("that an app counts itself begin at 1, and the dashboards show that first fault", () =>
    stack(async ({ collector, prometheus }) => {
      const queries = ["By kind", "By service"].map((title) =>
        filled(
          promQueries.find(({ board, panel }) => board.title === "Pairing" && panel.title === title)?.expression ?? "",
          {}
        )
      )
      assert.strictEqual(await sendMetrics(collector.url, firstFault()), 200)
      const found = await Program.until("the fault", async () => {
        const answers = await Promise.all(queries.map((query) => prometheus.ask(query)))
        return answers.every((series) => series.length === 1) ? answers.flat() : undefined
      })
      assert.deepStrictEqual(found.map(({ labels }) => labels), [
        { toolspan_violation_kind: "orphan_result" },
        { service_name: "shop" }
      ])
      // One in a minute, the window of a rate here.
      for (const { value } of found) assert.closeTo(value, 1 / 60, 1e-6)
    }))

  it("answer every query of the dashboards, but those for what a collector refuses and loses", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    const ports = await Program.freePorts(4)
    await using prometheus = await PrometheusProcess.start(scratch.folder, `127.0.0.1:${ports[3]}`)
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      traces: sink.address,
      metrics: prometheus.otlp,
      ports
    })
    const approval = { ...pay, "toolspan.stage": "approval" }
    const more = () => [
      span(0, { ...approval, "toolspan.approval.event": "abandoned", "toolspan.approval.state": "abandoned" }),
      span(1, { ...chat, "toolspan.violation.count": 1n }, { events: [violation("approval_mismatch")] })
    ]
    /** Those that give no number, or none that has every label of which its line is named. */
    const silent = async (): Promise<ReadonlyArray<string>> => {
      const asked = promQueries.map(async ({ board, expression, legend, panel }) => {
        const found = await prometheus.ask(filled(expression, {}))
        const named = [...legend.matchAll(/\{\{(.*?)\}\}/g)].map(([, label = ""]) => label)
        return found.some(({ labels, value }) => Number.isFinite(value) && named.every((label) => label in labels))
          ? []
          : [`${board.title}, ${panel.title}`]
      })
      return (await Promise.all(asked)).flat().toSorted()
    }
    // One line is there for spans that are refused by the receiver: none were. Of the others nothing is there yet.
    const expected = ["Pipeline, Dropped", "Pipeline, Dropped", "Pipeline, Dropped", "Pipeline, Refused"]
    const last = await Program.until("every query", async () => {
      assert.strictEqual(
        await CollectorProcess.send(collector.url, Buffer.concat([...known(), ...more()].map(protobuf))),
        200
      )
      const found = await silent()
      return found.length <= expected.length ? found : undefined
    }, 45).catch(silent)
    assert.deepStrictEqual(last, expected)
    for (const name of ["service", "tool", "agent"]) {
      const [, selector = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(
        boards.flatMap(({ templating }) => templating.list).find((each) => each.name === name)?.query ?? ""
      ) ?? []
      const values = (await prometheus.ask(filled(selector, {}))).map(({ labels }) => labels[label])
      assert.include(values, { service: "shop", tool: "pay", agent: "clerk" }[name], name)
    }
  })

  for (const file of ["collector.yaml", "gateway.yaml"]) {
    it(`of an app carry no content of its calls, through ${file}`, async () => {
      await using scratch = Program.scratch()
      await using sink = await GrpcSink.make()
      await using prometheus = await PrometheusProcess.start(scratch.folder)
      await using collector = await CollectorProcess.start({
        folder: scratch.folder,
        files: [file],
        traces: sink.address,
        metrics: prometheus.otlp,
        env: { TIER2_HOST: "127.0.0.1", TIER2_PORT: sink.address.split(":")[1] ?? "" }
      })
      assert.strictEqual(await sendMetrics(collector.url, telling()), 200)
      const all = await Program.until("the metric", async () => {
        const found = await prometheus.ask("{__name__=~\"app_calls_total|app_seconds_bucket|target_info\"}")
        return found.some(({ labels }) => labels["app_kept"] === "kept") ? found : undefined
      })
      assert.notInclude(JSON.stringify(all), "secret")
      const exemplars = await prometheus.exemplars("app_seconds_bucket")
      assert.include(exemplars, "kept exemplar")
      assert.notInclude(exemplars, "secret")
    })
  }

  it("are whole again after Prometheus was away: nothing that was counted meanwhile is missing", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    const [port = 0] = await Program.freePorts(1)
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      traces: sink.address,
      metrics: `http://127.0.0.1:${port}/api/v1/otlp`
    })
    const ask = async () => {
      assert.strictEqual(await CollectorProcess.send(collector.url, protobuf(span(1, chat))), 200)
    }
    await ask()
    const waiting = () => collector.own("otelcol_exporter_queue_size", "metrics")
    await Program.until("metrics wait", async () => await waiting() > 0 ? true : undefined)
    await ask()
    await using prometheus = await PrometheusProcess.start(scratch.folder, undefined, port)
    await ask()
    await Program.until(
      "all three",
      async () => (await prometheus.ask("gen_ai_client_inference_calls_total == 3")).length === 1 ? true : undefined
    )
    // What is asked of the time before is no less than what was counted then, also when it came late.
    const [most] = await prometheus.ask("max_over_time(gen_ai_client_inference_calls_total[10m])")
    assert.strictEqual(most?.value, 3)
  })

  it("count on through a restart, as one series", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using prometheus = await PrometheusProcess.start(scratch.folder)
    for (const expectedSeries of [1, 1]) {
      await using collector = await CollectorProcess.start({
        folder: scratch.folder,
        traces: sink.address,
        metrics: prometheus.otlp
      })
      await CollectorProcess.send(collector.url, protobuf(span(1, chat)))
      await Program.until(
        "the call is counted",
        async () => (await prometheus.ask("gen_ai_client_inference_calls_total == 1")).length === 1 ? true : undefined
      )
      assert.strictEqual((await prometheus.ask("gen_ai_client_inference_calls_total")).length, expectedSeries)
      await collector.stop("SIGTERM")
    }
  })

  it(
    "have no id and no invented name in any label after 10,000 hostile calls of an app",
    () =>
      stack(async ({ collector, prometheus, sink }) => {
        const app = spawn(process.execPath, [path.join(import.meta.dirname, "hostileCalls.ts"), "10000"], {
          env: {
            PATH: process.env["PATH"],
            OTEL_SERVICE_NAME: "hostile",
            OTEL_BSP_MAX_QUEUE_SIZE: "200000",
            OTEL_EXPORTER_OTLP_ENDPOINT: collector.url
          },
          stdio: ["ignore", "pipe", "inherit"]
        })
        const said = new Promise<string>((resolve) => app.stdout.once("data", (text) => resolve(String(text))))
        assert.strictEqual(await new Promise((resolve) => app.once("close", resolve)), 0)
        assert.include(await said, "\"calls\":10000")
        const decisions = () => sink.rows().filter(({ name }) => name.startsWith("tool_call ")).length
        await Program.until("every decision arrives", () => decisions() === 10_000 ? true : undefined)
        // What the store has tells that the names were really invented.
        assert.isTrue(sink.rows().some(({ attributes }) => attributes.some(({ value }) => value === `${mark}_15`)))
        await Program.until("every decision is counted", async () => {
          const [sum] = await prometheus.ask("sum(toolspan_stage_calls_total{toolspan_stage=\"decision\"})")
          return sum?.value === 10_000 ? true : undefined
        })
        const all = await prometheus.ask("{service_name=\"hostile\"}")
        assert.isAbove(all.length, 5)
        assert.notInclude(JSON.stringify(all), mark)
        const tools = new Set(all.flatMap(({ labels }) => labels["gen_ai_tool_name"] ?? []))
        assert.sameMembers([...tools], ["lookup", "_unknown"])
        assert.isBelow(all.length, 100)
      }),
    180_000
  )

  it(
    "stay under their cap when spans of others invent 10,000 names, and nothing is uncounted",
    () =>
      stack(async ({ collector, prometheus }) => {
        for (let part = 0; part < 10; part++) {
          const spans = Array.from(
            { length: 1_000 },
            (_, index) => protobuf(span(0.01, { ...ran, "gen_ai.tool.name": `invented-${part}-${index}` }))
          )
          assert.strictEqual(await CollectorProcess.send(collector.url, Buffer.concat(spans)), 200)
        }
        const [counted] = await Program.until("every span is counted", async () => {
          const sum = await prometheus.ask("sum(gen_ai_execute_tool_calls_total)")
          return sum[0]?.value === 10_000 ? sum : undefined
        })
        assert.strictEqual(counted?.value, 10_000)
        const [execution] = await prometheus.ask("count(gen_ai_execute_tool_calls_total)")
        assert.isAtMost(execution?.value ?? Infinity, 2_001)
        const [stage] = await prometheus.ask("count(toolspan_stage_calls_total)")
        assert.isAtMost(stage?.value ?? Infinity, 5_001)
        const [beyond] = await prometheus.ask("gen_ai_execute_tool_calls_total{otel_metric_overflow=\"true\"}")
        assert.isAtLeast(beyond?.value ?? 0, 7_999)
        // The other branches, with spans of every kind that they count.
        for (let part = 0; part < 6; part++) {
          const spans = Array.from({ length: 1_000 }, (_, index) => {
            const name = `invented-${part}-${index}`
            return [
              span(1, { ...chat, "gen_ai.request.model": name, "gen_ai.provider.name": name, "error.type": name }),
              span(0, {
                "toolspan.stage": name,
                "gen_ai.tool.name": name,
                "toolspan.outcome": name,
                "toolspan.approval.wait": 1.5,
                "toolspan.approval.state": name,
                "toolspan.approval.event": name,
                "toolspan.result.origin": name
              }),
              span(1, { ...chat, "toolspan.violation.count": 1n }, { events: [violation(name)] })
            ]
          })
          const body = Buffer.concat(spans.flat().map(protobuf))
          assert.strictEqual(await CollectorProcess.send(collector.url, body), 200)
        }
        const limits = {
          gen_ai_client_inference_calls_total: 2_001,
          toolspan_stage_calls_total: 5_001,
          toolspan_approval_wait_calls_total: 2_001,
          toolspan_violation_events_total: 2_001
        }
        for (const [name, limit] of Object.entries(limits)) {
          const total = { gen_ai_client_inference_calls_total: 12_000, toolspan_stage_calls_total: 16_000 }[name] ??
            6_000
          await Program.until(`every span of ${name}`, async () => {
            const [sum] = await prometheus.ask(`sum(${name})`)
            return sum?.value === total ? true : undefined
          })
          const [sets] = await prometheus.ask(`count(${name})`)
          assert.isAtMost(sets?.value ?? Infinity, limit, name)
          const over = await prometheus.ask(`${name}{otel_metric_overflow="true"}`)
          assert.strictEqual(over.length, 1, name)
        }
        const [all] = await prometheus.ask("count({service_name=\"shop\",__name__!~\".*_bucket\"})")
        process.stdout.write(`34,000 spans that invent everything: ${all?.value} series without buckets\n`)
      }),
    120_000
  )
})
