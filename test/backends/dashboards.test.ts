import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll } from "vitest"
import { spanLinks } from "../../dashboards/queries.ts"
import { yaml } from "../../dashboards/yaml.ts"
import { ensure } from "../../scripts/programs.ts"
import { boards, folder, promQueries } from "../dashboards/Boards.ts"
import { expanded } from "../dashboards/DashboardLinter.ts"
import { filled } from "../dashboards/Grafana.ts"
import { series } from "./PanelSeries.ts"

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-promtool-"))
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }))

let program = ""
// Prometheus' module is large: minutes on a machine that has never built it.
beforeAll(() => {
  program = ensure("promtool")
}, 1_800_000)

const promtool = (...args: ReadonlyArray<string>): { readonly status: number | null; readonly said: string } => {
  const done = spawnSync(program, args, { encoding: "utf8", cwd: scratch })
  return { status: done.status, said: done.stdout + done.stderr }
}

const rules = path.join(folder, "out/rules/toolspan.yml")
const cases = path.resolve(import.meta.dirname, "../dashboards/rules.test.yml")

/** What a span's links to metrics ask, with the labels that Grafana puts in for a span. */
const spanQueries = Object.entries(spanLinks).map(([where, query]) => ({
  where: `link of a span, ${where}`,
  expression: query.replace("$__tags", "service_name=\"shop\", gen_ai_tool_name=\"pay\"")
}))

const asked = [
  ...promQueries.map(({ board, panel, expression }) => ({ where: `${board.title}, ${panel.title}`, expression })),
  ...spanQueries,
  ...boards.flatMap((board) =>
    board.templating.list.filter(({ type }) => type === "query").map(({ name, query }) => ({
      where: `${board.title}, variable ${name}`,
      expression: /^label_values\((.*), \w+\)$/.exec(query)?.[1] ?? ""
    }))
  )
]

/** Has Prometheus read every query, as the expression of a rule. */
const read = (fill: (expression: string) => string): { readonly status: number | null; readonly said: string } => {
  const file = path.join(scratch, "queries.yml")
  fs.writeFileSync(
    file,
    yaml({
      groups: [{
        name: "queries",
        rules: asked.map(({ where, expression }, index) => ({
          record: `query:${index}`,
          expr: fill(expression),
          labels: { where }
        }))
      }]
    })
  )
  return promtool("check", "rules", "--lint=none", file)
}

interface Expected {
  readonly expression: string
  readonly labels: string
  readonly value: number
}

/** Has Prometheus answer expressions after 90 minutes of a set, and compares each one's only sample. */
const answers = (known: typeof series, expected: ReadonlyArray<Expected>) => {
  const file = path.join(scratch, "data.yml")
  fs.writeFileSync(
    file,
    yaml({
      evaluation_interval: "15s",
      tests: [{
        interval: "15s",
        input_series: known.map(([name, values]) => ({ series: name, values })),
        promql_expr_test: expected.map(({ expression, labels, value }) => ({
          expr: expression,
          eval_time: "90m",
          exp_samples: [{ labels, value }]
        }))
      }]
    })
  )
  return promtool("test", "rules", file)
}

/** Asks every query of a set; one that finds nothing, or only values that are no numbers, has no count. */
const find = (known: typeof series) =>
  answers(
    known,
    asked.map(({ expression }) => filled(expression, {})).map((query) => ({
      expression: `count((${query}) == (${query})) > bool 0`,
      labels: "{}",
      value: 1
    }))
  )

describe("promtool", () => {
  it("accepts the alerts, and has nothing to warn of", () => {
    const { status, said } = promtool("check", "rules", "--lint=all", "--lint-fatal", rules)
    assert.strictEqual(status, 0, said)
    assert.include(said, "SUCCESS: 11 rules found")
  })

  it("refuses an alert whose query is no PromQL", () => {
    const broken = path.join(scratch, "broken.yml")
    fs.writeFileSync(broken, fs.readFileSync(rules, "utf8").replace("sum by (", "sum bye ("))
    assert.strictEqual(promtool("check", "rules", broken).status, 1)
  })

  it("sees every alert fire where it should, and stay silent where it should", () => {
    const { status, said } = promtool("test", "rules", cases)
    assert.strictEqual(status, 0, said)
    assert.include(said, "SUCCESS")
  }, 120_000)

  it("sees a case that does not hold", () => {
    const broken = path.join(scratch, "cases.yml")
    const text = fs.readFileSync(cases, "utf8").replace("../../dashboards/out/rules/toolspan.yml", rules)
    fs.writeFileSync(broken, text.replace("values: 0+19x40", "values: 0+1x40"))
    const { status, said } = promtool("test", "rules", broken)
    assert.strictEqual(status, 1)
    assert.include(said, "alertname: ToolErrorRateHigh")
  }, 120_000)

  it("reads every query of the dashboards, whatever is chosen", () => {
    assert.isAbove(asked.length, 60)
    for (
      const values of [
        {},
        { service: ["shop"], tool: ["pay"], agent: ["a"], kind: ["orphan_result"], job: ["j"], instance: ["i:1"] },
        { service: ["a.b", "it's", "x\"} or up{a=\"", "back\\slash", "("], tool: ["$x", "ü+*", "|"] }
      ]
    ) {
      const { status, said } = read((expression) => filled(expression, values))
      assert.strictEqual(status, 0, said)
      assert.include(said, `SUCCESS: ${asked.length} rules found`)
    }
  })

  it("reads every query also as dashboard-linter fills it in", () => {
    const { status, said } = read(expanded)
    assert.strictEqual(status, 0, said)
    assert.include(said, `SUCCESS: ${asked.length} rules found`)
  })

  it("finds data for every panel in a set that has something for each", () => {
    const { status, said } = find(series)
    assert.strictEqual(status, 0, said)
  }, 120_000)

  /** A query of a panel with all values chosen. */
  const queriesOf = (board: string, panel: string, type?: string): ReadonlyArray<string> =>
    promQueries.filter((each) =>
      each.board.title === board && each.panel.title === panel && (type === undefined || each.panel.type === type)
    ).map(({ expression }) => filled(expression, {}))
  const queryOf = (board: string, panel: string, type?: string): string => queriesOf(board, panel, type)[0] ?? ""
  const rounded = (expression: string, labels: string, value: number): Expected => ({
    expression: `round(${expression}, 0.001)`,
    labels,
    value
  })

  // Reckoned by hand: a step is 15 s, most counters grow by one a step and stand at 360 after 90 minutes.
  it("finds the numbers that the set was made of", () => {
    const numbers: ReadonlyArray<readonly [board: string, panel: string, labels: string, value: number]> = [
      ["Tool calls", "Share of errors", "{gen_ai_tool_name=\"pay\"}", 0.5],
      ["Tool calls", "Duration, p50", "{gen_ai_tool_name=\"pay\"}", 0.02],
      ["Tool calls", "Duration, p95", "{}", 0.04],
      ["Approvals", "Pending now", "{}", 3 * 360 - 2 * 360],
      ["Approvals", "Abandoned", "{}", 360],
      ["Approvals", "Wait, p50", "{}", 5],
      ["Pairing", "Faults", "{}", 2 * 360],
      ["Pairing", "Faults for each call", "{}", 2],
      ["Pairing", "Duplicate executions", "{}", 360],
      ["Pairing", "Approval mismatches", "{}", 360],
      ["Pairing", "By service", "{service_name=\"shop\"}", 0.133]
    ]
    const { status, said } = answers(
      series,
      numbers.map(([board, panel, labels, value]) => rounded(queryOf(board, panel), labels, value))
    )
    assert.strictEqual(status, 0, said)
  }, 120_000)

  /** Such a counter is there from its first event, half a minute before the end, or from five minutes before it. */
  const late = "_x358 1x40"
  const earlier = "_x340 1x60"

  it("shows the first fault of a counter that begins at 1, and only while it is new", () => {
    const fault = (kind: string) =>
      `toolspan_violation_events_total{service_name="shop", job="acme/shop", toolspan_violation_kind="${kind}"}`
    const numbers = (value: number): ReadonlyArray<Expected> => [
      rounded(queryOf("Pairing", "By kind"), "{toolspan_violation_kind=\"orphan_result\"}", value),
      rounded(queryOf("Pairing", "By service"), "{service_name=\"shop\"}", value)
    ]
    // One in a minute, which is the window of a rate here.
    for (const [values, value] of [[late, 0.017], [earlier, 0], ["1x300 _x50 1x100", 0]] as const) {
      const { status, said } = answers([[fault("orphan_result"), values]], numbers(value))
      assert.strictEqual(status, 0, said)
    }
  }, 120_000)

  it("counts the first run, decision and failure of counters that begin at 1, as an app's own do", () => {
    const shop = "service_name=\"shop\", job=\"acme/shop\", gen_ai_tool_name=\"pay\""
    const run = `gen_ai_execute_tool_calls_total{${shop}`
    const request =
      "gen_ai_client_inference_calls_total{service_name=\"shop\", job=\"acme/shop\", gen_ai_request_model=\"m\""
    const known: ReadonlyArray<readonly [string, string]> = [
      [`${run}}`, late],
      [`${run}, error_type="Declined"}`, late],
      [`toolspan_stage_calls_total{${shop}, toolspan_stage="decision"}`, late],
      [`${request}, error_type="RateLimited"}`, late]
    ]
    const { status, said } = answers(known, [
      rounded(queryOf("Tool calls", "Executions", "stat"), "{}", 2),
      rounded(queryOf("Tool calls", "Calls decided"), "{}", 1),
      rounded(queryOf("Tool calls", "Failed"), "{}", 0.5),
      rounded(queryOf("Tool calls", "Errors"), "{gen_ai_tool_name=\"pay\", error_type=\"Declined\"}", 0.017),
      rounded(
        queryOf("Tool calls", "Failed requests"),
        "{gen_ai_request_model=\"m\", error_type=\"RateLimited\"}",
        0.017
      )
    ])
    assert.strictEqual(status, 0, said)
  }, 120_000)

  it("shows the first spans that a collector loses, in a counter that is there only since then", () => {
    const lost = (name: string, ...labels: ReadonlyArray<string>) =>
      `${name}{${["job=\"toolspan-collector\"", "instance=\"a:8888\"", ...labels].join(", ")}}`
    const exporter = "exporter=\"otlp_grpc/traces\""
    const names = [
      [lost("otelcol_exporter_enqueue_failed_spans", exporter), "{exporter=\"otlp_grpc/traces\"}"],
      [lost("otelcol_exporter_send_failed_spans", exporter), "{exporter=\"otlp_grpc/traces\"}"],
      [lost("otelcol_exporter_send_failed_metric_points", exporter), "{exporter=\"otlp_grpc/traces\"}"],
      [lost("otelcol_processor_filter_spans_filtered", "filter=\"filter/invalid\""), "{filter=\"filter/invalid\"}"]
    ] as const
    const lines = queriesOf("Pipeline", "Dropped", "timeseries")
    assert.strictEqual(lines.length, names.length)
    for (const [index, [name, labels]] of names.entries()) {
      const total = name.includes("_spans") ? [rounded(queryOf("Pipeline", "Dropped", "stat"), "{}", 1)] : []
      const { status, said } = answers([[name, late]], [rounded(lines[index] ?? "", labels, 0.017), ...total])
      assert.strictEqual(status, 0, said)
    }
  }, 120_000)

  it("sees a panel that finds nothing", () => {
    const { status, said } = find(series.filter(([name]) => !name.startsWith("otelcol_exporter_queue_capacity")))
    assert.strictEqual(status, 1)
    assert.include(said, "count((max(otelcol_exporter_queue_size")
  }, 120_000)
})
