import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { yaml } from "../../dashboards/yaml.ts"
import { groups, runbook as address, section } from "../../dashboards/rules.ts"
import { boards, folder } from "./Boards.ts"

const read = (file: string): string => fs.readFileSync(path.join(folder, file), "utf8")
const rules = groups.flatMap((group) => group.rules)
const runbook = read("RUNBOOK.md")
const prometheus = read("out/rules/toolspan.yml")
const grafana = read("provisioning/alerting/toolspan.yaml")
const tests = fs.readFileSync(path.join(import.meta.dirname, "rules.test.yml"), "utf8")

/** The text under a heading. */
const sectionOf = (name: string): string => runbook.split(/^#+ /m).find((text) => text.startsWith(`${name}\n`)) ?? ""

/** The block of one rule in a rules file. */
const blockOf = (file: string, start: string): string => file.split(start)[1]?.split(/\n {6}- /)[0] ?? ""

describe("alerts", () => {
  it("are the ones that are wanted", () => {
    assert.deepStrictEqual(rules.map(({ name }) => name), [
      "ToolErrorRateHigh",
      "ToolSlow",
      "ToolApprovalUnanswered",
      "ToolApprovalSlow",
      "ToolDuplicateExecution",
      "ToolApprovalMismatch",
      "ToolViolationsRising",
      "PipelineDropping",
      "PipelineRefusing",
      "PipelineQueueFilling",
      "CollectorDown"
    ])
  })

  for (const rule of rules) {
    it(`${rule.name}: has a section in the runbook, and a panel to look at`, () => {
      const text = sectionOf(rule.name)
      assert.strictEqual(section(rule), `#${rule.name.toLowerCase()}`)
      for (const part of ["**Means**:", "**Look at**:", "**Do**:"]) assert.include(text, part)
      const board = boards.find(({ uid }) => uid === rule.dashboard)
      assert.isTrue(board?.panels.some(({ title }) => title === rule.panel), rule.panel)
      assert.include(text, rule.name === "CollectorDown" ? "targets page" : `_${board?.title}_`)
    })

    it(`${rule.name}: is told to Prometheus and to Grafana with one query, limit, time and message`, () => {
      const forPrometheus = blockOf(prometheus, `- alert: ${rule.name}\n`)
      assert.include(forPrometheus, JSON.stringify(`(${rule.expression}) ${rule.compare} ${rule.limit}`))
      assert.include(forPrometheus, `for: "${rule.lasting}"`)
      assert.include(forPrometheus, `severity: ${rule.severity}`)
      const forGrafana = blockOf(grafana, `title: ${rule.name}\n`)
      assert.include(forGrafana, `expr: ${JSON.stringify(rule.expression)}`)
      assert.match(
        forGrafana,
        new RegExp(`type: ${rule.compare === ">" ? "gt" : "lt"}\\n +params:\\n +- ${rule.limit}\\n`)
      )
      assert.include(forGrafana, `for: "${rule.lasting}"`)
      // Grafana would read a dollar sign in a query as a variable of its own environment.
      assert.notInclude(rule.expression, "$")
      assert.include(forGrafana, `dashboardUid: ${rule.dashboard}`)
      const id = boards.find(({ uid }) => uid === rule.dashboard)?.panels.find(({ title, type }) =>
        title === rule.panel && type !== "row"
      )?.id
      assert.include(forGrafana, `panelId: ${id}\n`)
      for (const block of [forPrometheus, forGrafana]) {
        assert.include(block, `runbook_url: ${JSON.stringify(`${address}${section(rule)}`)}`)
        assert.include(block, `summary: ${JSON.stringify(rule.summary)}`)
      }
      assert.notMatch(forGrafana, /\$value\b/)
    })

    it(`${rule.name}: has a case in which it fires and one in which it does not`, () => {
      const cases = tests.split(/alertname: /).slice(1).filter((text) => text.startsWith(`${rule.name}\n`))
      const silent = cases.filter((text) => /^\w+\n +exp_alerts: \[\]/.test(text))
      const firing = cases.filter((text) => /^\w+\n +exp_alerts:\n +- exp_labels:/.test(text))
      assert.isAtLeast(silent.length, 1)
      assert.isAtLeast(firing.length, 1)
      assert.strictEqual(silent.length + firing.length, cases.length)
    })
  }

  it("have no uid longer than Grafana takes", () => {
    const uids = [...grafana.matchAll(/^ +- uid: (.*)$/gm)].map((match) => match[1] ?? "")
    assert.strictEqual(new Set(uids).size, rules.length)
    for (const uid of uids) assert.match(uid, /^[a-z-]{1,40}$/)
  })
})

describe("the YAML that is written", () => {
  it("quotes what YAML would read as something else", () => {
    assert.strictEqual(
      yaml({ a: "yes", b: "1", c: "x: y", d: "word", e: 1, f: ["- a", { g: true, h: ["i"] }], j: "$x {{ a }}", k: "" }),
      "a: \"yes\"\nb: \"1\"\nc: \"x: y\"\nd: word\ne: 1\nf:\n  - \"- a\"\n  - g: true\n    h:\n      - i\nj: \"$x {{ a }}\"\nk: \"\"\n"
    )
  })
})
