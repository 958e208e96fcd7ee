import { assert, describe, it } from "@effect/vitest"
import { labelName, metricName, text } from "../../dashboards/promql.ts"
import { groups } from "../../dashboards/rules.ts"
import { selfMetrics, scrapeLabels } from "../../dashboards/selfMetrics.ts"
import * as Metric from "../../src/semconv/metric.ts"
import * as Registry from "../../src/semconv/registry.ts"
import { boards, promQueries } from "./Boards.ts"
import { filled } from "./Grafana.ts"
import { groupings, selectors } from "./PromText.ts"

/** Every metric that Prometheus can have, with its labels. `up` is Prometheus' own. */
const known = new Map<string, ReadonlySet<string>>([
  ...Metric.metrics.flatMap((metric) => {
    const labels = [...metric.labels.map(labelName), "service_name", "job"]
    return metric.kind === "counter"
      ? [[metricName(metric), new Set(labels)] as const]
      : (["bucket", "sum", "count"] as const).map((part) =>
        [metricName(metric, part), new Set(part === "bucket" ? [...labels, "le"] : labels)] as const
      )
  }),
  ...Object.values(selfMetrics).map(({ name, labels }) => [name, new Set([...labels, ...scrapeLabels])] as const)
])

const variableQueries = boards.flatMap((board) =>
  board.templating.list.filter(({ type }) => type === "query").map(({ name, query }) => ({
    where: `${board.title}, variable ${name}`,
    expression: query
  }))
)
const all = [
  ...promQueries.map(({ board, panel, expression }) => ({ where: `${board.title}, ${panel.title}`, expression })),
  ...groups.flatMap(({ rules }) => rules.map(({ name, expression }) => ({ where: name, expression })))
]

const closed = new Map(
  Registry.attributes.flatMap(({ key, values }) => values === undefined ? [] : [[labelName(key), values] as const])
)
closed.set("toolspan_violation_kind", Registry.violations)

const faultsIn = (expression: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const asked = selectors(expression)
  if (asked.length === 0) found.push("asks for no metric")
  for (const { metric, matchers } of asked) {
    const labels = known.get(metric)
    if (labels === undefined) found.push(`no metric ${metric}`)
    for (const { label, value } of matchers) {
      if (labels?.has(label) === false) found.push(`${metric} has no label ${label}`)
      const values = closed.get(label)
      if (values === undefined || value.startsWith("$") || value === "") continue
      for (const each of value.split("|")) if (!values.includes(each)) found.push(`${label} is never ${each}`)
    }
  }
  for (const { labels, inside } of groupings(expression)) {
    for (const { metric } of selectors(inside)) {
      for (const label of labels) {
        if (known.get(metric)?.has(label) === false) found.push(`${metric} has no label ${label} to group by`)
      }
    }
  }
  return found
}

describe("names at Prometheus", () => {
  it("are those that the collector's metrics have there", () => {
    assert.strictEqual(metricName(Metric.genAiExecuteToolDuration), "gen_ai_execute_tool_duration_seconds_bucket")
    assert.strictEqual(
      metricName(Metric.genAiExecuteToolDuration, "count"),
      "gen_ai_execute_tool_duration_seconds_count"
    )
    assert.strictEqual(metricName(Metric.genAiExecuteToolCalls), "gen_ai_execute_tool_calls_total")
    assert.strictEqual(
      metricName(Metric.toolspanApprovalWaitDuration),
      "toolspan_approval_wait_duration_seconds_bucket"
    )
    assert.strictEqual(metricName(Metric.toolspanViolationEvents), "toolspan_violation_events_total")
  })
})

describe("the check of the queries", () => {
  it("finds metrics, labels, values and groupings that do not exist", () => {
    assert.deepStrictEqual(faultsIn("sum(rate(toolspan_stage_calls_totals[5m]))"), [
      "no metric toolspan_stage_calls_totals"
    ])
    assert.deepStrictEqual(faultsIn("rate(toolspan_violation_events_total{gen_ai_tool_name=\"a\"}[5m])"), [
      "toolspan_violation_events_total has no label gen_ai_tool_name"
    ])
    assert.deepStrictEqual(faultsIn("toolspan_stage_calls_total{toolspan_stage=~\"decision|ending\"}"), [
      "toolspan_stage is never ending"
    ])
    assert.deepStrictEqual(
      faultsIn("sum by (le, instance) (rate(gen_ai_execute_tool_calls_total{error_type!=\"a) (\"}[1m] offset 5m))"),
      [
        "gen_ai_execute_tool_calls_total has no label le to group by",
        "gen_ai_execute_tool_calls_total has no label instance to group by"
      ]
    )
    assert.deepStrictEqual(faultsIn("{__name__=~\"up|down\", job=\"x\"} > 0"), ["no metric down"])
    assert.deepStrictEqual(faultsIn("1 + 1"), ["asks for no metric"])
  })
})

describe("queries to Prometheus", () => {
  for (const { where, expression } of all) {
    it(`${where}: asks for metrics, labels and values that exist`, () => {
      assert.deepStrictEqual(faultsIn(expression), [])
    })
  }

  for (const { where, expression } of variableQueries) {
    it(`${where}: takes the values of a label that its metric has`, () => {
      const parts = /^label_values\((.*), (\w+)\)$/.exec(expression)
      assert.isNotNull(parts)
      const [, selector = "", label = ""] = parts ?? []
      assert.deepStrictEqual(faultsIn(selector), [])
      for (const { metric } of selectors(selector)) assert.isTrue(known.get(metric)?.has(label), label)
    })
  }

  it("use every metric of the contract but the count of waits, which says no more than the stages", () => {
    const used = new Set(all.flatMap(({ expression }) => selectors(expression).map(({ metric }) => metric)))
    assert.deepStrictEqual(
      Metric.metrics.filter((metric) => !used.has(metricName(metric))).map(({ name }) => name),
      [Metric.toolspanApprovalWaitCalls.name]
    )
  })

  const hostile = ["a.b", "x\"} or up{a=\"", "back\\slash", "a|b", "(", "$x", "line\nend", "ü+*", "it's"]
  const selector = "m{l=~\"$service\"}"

  // A PromQL string and then a pattern: what both leave must match the chosen value and nothing else.
  const meaning = (value: ReadonlyArray<string>): RegExp => {
    const query = filled(selector, { service: value })
    const quoted = /^m\{l=~("(?:[^"\\]|\\.)*")\}$/s.exec(query.replaceAll("\n", "\\n"))
    assert.isNotNull(quoted, query)
    return new RegExp(`^(?:${JSON.parse(quoted?.[1] ?? "\"\"")})$`)
  }

  it("match what was chosen and nothing else, whatever it is", () => {
    for (const value of hostile) {
      assert.isTrue(meaning([value]).test(value), value)
      assert.isFalse(meaning([value]).test(`${value}x`), value)
    }
    assert.isTrue(hostile.every((value) => meaning(hostile).test(value)))
    assert.isFalse(meaning(["a.b", "c"]).test("aXb"))
  })

  it("quote constants so that they are one string", () => {
    assert.strictEqual(text("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"")
  })
})
