/** The alerts in the two forms in which they are loaded: by Prometheus, and by Grafana from a provisioning file. */
import { groups, interval, type Rule, runbook, section } from "./rules.ts"
import { type Value, yaml } from "./yaml.ts"

/** The query and the whole condition. */
const condition = (rule: Rule): string => `(${rule.expression}) ${rule.compare} ${rule.limit}`

const notes = (rule: Rule, base: string): Readonly<Record<string, string>> => ({
  summary: rule.summary,
  description: rule.description,
  runbook_url: `${base}${section(rule)}`
})

/** The rules file for Prometheus. */
export const prometheusRules = (base = runbook): string =>
  yaml({
    groups: groups.map((group) => ({
      name: group.name,
      interval: `${interval}s`,
      rules: group.rules.map((rule) => ({
        alert: rule.name,
        expr: condition(rule),
        for: rule.lasting,
        labels: { severity: rule.severity },
        annotations: notes(rule, base)
      }))
    }))
  })

/** Grafana keeps the query and its limit apart; `$value` of a message is there `$values.A.Value`. */
const grafanaText = (text: string): string => text.replaceAll("$value ", "$values.A.Value ")

/** Finds the id of a rule's panel. */
export type PanelId = (rule: Rule) => number

const grafanaRule = (rule: Rule, base: string, panelId: PanelId): Value => ({
  uid: `toolspan${rule.name.replaceAll(/[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}`,
  title: rule.name,
  condition: "B",
  data: [
    {
      refId: "A",
      relativeTimeRange: { from: 600, to: 0 },
      datasourceUid: "prometheus",
      model: { refId: "A", expr: rule.expression, instant: true, range: false, intervalMs: 1000, maxDataPoints: 43200 }
    },
    {
      refId: "B",
      relativeTimeRange: { from: 0, to: 0 },
      datasourceUid: "__expr__",
      model: {
        refId: "B",
        type: "threshold",
        expression: "A",
        datasource: { type: "__expr__", uid: "__expr__" },
        conditions: [{ evaluator: { type: rule.compare === ">" ? "gt" : "lt", params: [rule.limit] } }]
      }
    }
  ],
  // No series means that nothing is wrong; that the collector is silent is an alert of its own.
  noDataState: "OK",
  execErrState: "Error",
  for: rule.lasting,
  dashboardUid: rule.dashboard,
  panelId: panelId(rule),
  labels: { severity: rule.severity },
  annotations: {
    ...Object.fromEntries(Object.entries(notes(rule, base)).map(([key, text]) => [key, grafanaText(text)])),
    __dashboardUid__: rule.dashboard,
    __panelId__: String(panelId(rule))
  }
})

/** The file for Grafana's `provisioning/alerting`. */
export const grafanaRules = (panelId: PanelId, base = runbook): string =>
  yaml({
    apiVersion: 1,
    groups: groups.map((group) => ({
      orgId: 1,
      name: group.name,
      folder: "toolspan",
      interval: `${interval}s`,
      rules: group.rules.map((rule) => grafanaRule(rule, base, panelId))
    }))
  })
