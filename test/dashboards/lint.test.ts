// What Grafana's dashboard-linter would say, and its rules held harder than it does: it passes over bars and traces, every
// dashboard whose first data source is not Prometheus, and every counter that has a condition.
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { boards, folder, panels, promQueries } from "./Boards.ts"
import { type Finding, findings, rules, units } from "./DashboardLinter.ts"
import { selectors } from "./PromText.ts"

const scraped = (uid: string): boolean => uid === "toolspan-pipeline"

describe("dashboard-linter", () => {
  for (const board of boards) {
    const variables = board.templating.list

    it(`${board.title}: template-datasource-rule`, () => {
      const sources = variables.filter(({ type }) => type === "datasource")
      assert.isNotEmpty(sources)
      for (const { name, label, query } of sources) {
        assert.strictEqual(name, `${query}_datasource`)
        assert.strictEqual(label, `${query === "tempo" ? "Tempo" : "Prometheus"} data source`)
      }
    })

    it(`${board.title}: template-on-time-change-reload-rule`, () => {
      for (const { name, type, refresh } of variables) if (type === "query") assert.strictEqual(refresh, 2, name)
    })

    it(`${board.title}: template-label-promql-rule`, () => {
      for (const { name, type, query } of variables) {
        if (type === "query") assert.match(query, /^label_values\(.+\)$/, name)
      }
    })

    it(`${board.title}: uneditable-dashboard`, () => assert.isFalse(board.editable))

    it(`${board.title}: template-job-rule and template-instance-rule, or the service in their place`, () => {
      const wanted = scraped(board.uid) ? ["job", "instance"] : ["service"]
      for (const name of wanted) {
        const variable = variables.find((each) => each.name === name)
        assert.strictEqual(variable?.datasource?.uid, "${prometheus_datasource}")
        assert.strictEqual(variable?.type, "query")
        assert.strictEqual(variable?.label, `${name[0]?.toUpperCase()}${name.slice(1)}`)
        assert.isTrue(variable?.multi)
        assert.strictEqual(variable?.allValue, scraped(board.uid) ? ".+" : ".*")
      }
    })
  }

  for (const { board, panel } of panels) {
    it(`${board.title}, ${panel.title} (${panel.type}): panel rules`, () => {
      // panel-datasource-rule, panel-title-description-rule, panel-units-rule, panel-no-targets-rule
      assert.match(panel.datasource?.uid ?? "", /^\$\{(prometheus|tempo)_datasource\}$/)
      assert.isNotEmpty(panel.title)
      assert.isNotEmpty(panel.description)
      assert.isTrue(units.has(panel.fieldConfig?.defaults.unit ?? ""), panel.fieldConfig?.defaults.unit)
      for (const { properties } of panel.fieldConfig?.overrides ?? []) {
        for (const { id, value } of properties) {
          if (id === "unit") assert.isTrue(units.has(String(value)), String(value))
        }
      }
      assert.isNotEmpty(panel.targets)
    })
  }

  for (const { board, panel, expression } of promQueries) {
    it(`${board.title}, ${panel.title}: target rules, ${expression.slice(0, 60)}`, () => {
      // target-rate-interval-rule
      for (const [, window] of expression.matchAll(/\bi?rate\([^[]*\[([^\]]*)\]/g)) {
        assert.strictEqual(window, "$__rate_interval")
      }
      // target-counter-agg-rule
      let outside = expression.replaceAll(/\b(?:rate|irate|increase)\((?:[^()"]|"[^"]*")*\)/g, "")
      // What `counted` looks at besides. The linter passes over a selector with conditions, and each of these has some.
      for (const [, selector = ""] of expression.matchAll(/\bincrease\(((?:[^()"[]|"[^"]*")+\})\[/g)) {
        for (const part of [`min_over_time(${selector}[`, `last_over_time(${selector}[`, `unless ${selector} offset`]) {
          outside = outside.replaceAll(part, "")
        }
      }
      assert.notMatch(outside, /_total\b/)
      // target-job-rule and target-instance-rule, or the service in their place
      for (const { metric, matchers } of selectors(expression)) {
        const given = matchers.map(({ label, operator, value }) => `${label}${operator}${value}`)
        assert.includeMembers(
          given,
          scraped(board.uid) ? ["job=~$job", "instance=~$instance"] : ["service_name=~$service"],
          metric
        )
      }
    })
  }

  it("has 17 rules", () => {
    assert.strictEqual(new Set(rules).size, 17)
  })

  it("finds nothing but what dashboards/out/.lint has it pass over, with a reason, and is told of nothing else", () => {
    const told = fs.readFileSync(path.join(folder, "out/.lint"), "utf8")
    const plain = (text: string): string => text.replaceAll("\"", "")
    const excluded = told.split(/^ {2}(?=\S)/m).slice(1).flatMap((text) => {
      const rule = text.slice(0, text.indexOf(":"))
      return [...text.matchAll(/- dashboard: (.*)\n(?: +panel: (.*)\n)? +reason: "(.{20,})"/g)].map(
        ([, dashboard = "", panel]): Finding =>
          panel === undefined
            ? { rule, dashboard: plain(dashboard) }
            : { rule, dashboard: plain(dashboard), panel: plain(panel) }
      )
    })
    assert.strictEqual(excluded.length, told.split("- dashboard:").length - 1)
    // An entry without a panel stands for all of a dashboard's.
    const matches = (one: Finding) => (other: Finding): boolean =>
      one.rule === other.rule && one.dashboard === other.dashboard && (one.panel ?? other.panel) === other.panel
    assert.deepStrictEqual(findings.filter((finding) => !excluded.some((entry) => matches(entry)(finding))), [])
    assert.deepStrictEqual(excluded.filter((entry) => !findings.some(matches(entry))), [])
  })
})
