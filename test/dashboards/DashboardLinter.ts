/**
 * What Grafana's dashboard-linter finds in the dashboards, told anew from what its 17 rules say in its sources of June 2026
 * (4d0844b): its own module and two that it needs are not served, so the program itself cannot be built here.
 */
import { type Board, boards, type Panel, panelsOf } from "./Boards.ts"
import { selectors } from "./PromText.ts"

/** A rule that is broken: on a dashboard as a whole, or on one of its panels. */
export interface Finding {
  readonly rule: string
  readonly dashboard: string
  readonly panel?: string
}

/** Grafana's own variables that it knows, each with a value of its kind; any other one stands for its name. */
const known: Readonly<Record<string, string>> = {
  __rate_interval: "5m",
  __interval: "15s",
  __interval_ms: "15000",
  __range_ms: "21600000",
  __range_s: "21600",
  __range: "6h"
}

/** A query as it reads it: variables are filled in, but not inside quotes. */
export const expanded = (expression: string): string =>
  expression.split("\"").map((part, index) =>
    index % 2 === 1
      ? part
      : part.replaceAll(
        /\$(?:\{(\w+)[^}]*\}|(\w+))/g,
        (_, braced: string, bare: string) => known[braced ?? bare] ?? braced ?? bare
      )
  ).join("\"")

/** The kinds of panel that each group of rules looks at. */
const shown = new Set(["stat", "singlestat", "graph", "table", "timeseries", "gauge"])
const drawn = new Set(["singlestat", "graph", "table", "timeseries"])
const asking = new Set(["stat", "singlestat", "table", "timeseries", "gauge", "state-timeline"])

/** The units that are used here, each one of its list of Grafana's units. */
export const units = new Set(["none", "string", "short", "percentunit", "bytes", "s", "ns", "ops", "cps", "reqps"])

const title = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Rules about Prometheus are passed over where another source is the first of the dashboard. */
const isPrometheus = (board: Board): boolean =>
  board.templating.list.find(({ type }) => type === "datasource")?.query === "prometheus"

/** Rules about a dashboard as a whole. */
const ofBoard: Readonly<Record<string, (board: Board) => boolean>> = {
  "template-datasource-rule": ({ templating }) => {
    const sources = templating.list.filter(({ type }) => type === "datasource")
    const name = (query: string) =>
      sources.length === 1 ? [`${query}_datasource`, "datasource"] : [`${query}_datasource`]
    const label = (query: string) =>
      sources.length === 1 ? [`${title(query)} data source`, "Data source"] : [`${title(query)} data source`]
    return sources.length > 0 &&
      sources.every((each) => name(each.query).includes(each.name) && label(each.query).includes(each.label))
  },
  ...Object.fromEntries(["job", "instance"].map((name) => [`template-${name}-rule`, (board: Board) => {
    const template = board.templating.list.find((each) => each.name === name)
    return !isPrometheus(board) || (template !== undefined && template.type === "query" && template.multi &&
      template.label === title(name) && template.allValue === ".+" &&
      ["$datasource", "${datasource}", "$prometheus_datasource", "${prometheus_datasource}"].includes(
        template.datasource?.uid ?? ""
      ))
  }])),
  // That what is asked is PromQL is promtool's to say.
  "template-label-promql-rule": (board) =>
    !isPrometheus(board) ||
    board.templating.list.every(({ query, type }) =>
      type !== "query" || /^(label_names|label_values|metrics|query_result)\(.+\)/.test(query)
    ),
  "template-on-time-change-reload-rule": ({ templating }) =>
    templating.list.every(({ refresh, type }) => type !== "query" || refresh === 2),
  "uneditable-dashboard": ({ editable }) => !editable
}

const settings = (panel: Panel, id: string): ReadonlyArray<unknown> =>
  (panel.fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
    properties.filter((each) => each.id === id).map(({ value }) => value)
  )

/** Rules about a panel. */
const ofPanel: Readonly<Record<string, (panel: Panel, board: Board) => boolean>> = {
  "panel-datasource-rule": ({ datasource, type }, { templating }) =>
    !drawn.has(type) ||
    templating.list.some((each) =>
      each.type === "datasource" && [`$${each.name}`, `\${${each.name}}`].includes(datasource?.uid ?? "")
    ),
  "panel-title-description-rule": ({ description = "", title, type }) =>
    !shown.has(type) || (title !== "" && description !== ""),
  "panel-units-rule": (panel) => {
    const [unit = panel.fieldConfig?.defaults.unit] = settings(panel, "unit").slice(-1)
    return !shown.has(panel.type) || settings(panel, "mappings").length > 0 || units.has(String(unit))
  },
  "panel-no-targets-rule": ({ targets, type }) => !shown.has(type) || targets !== undefined,
  // Of the two rules about Loki.
  "target-logql-rule": ({ targets = [] }) => targets.every(({ datasource }) => datasource.type !== "loki"),
  // That a query is PromQL is promtool's to say; an empty one, as a search in another language has, is none.
  "target-promql-rule": ({ targets = [], type }, board) =>
    !isPrometheus(board) || !asking.has(type) || targets.every(({ expr = "" }) => expr !== ""),
  "target-rate-interval-rule": ({ targets = [], type }, board) =>
    !isPrometheus(board) || !asking.has(type) ||
    targets.every(({ expr = "" }) =>
      [...expr.matchAll(/\bi?rate\([^[]*\[([^\]]*)\]/g)].every(([, window]) => window === "$__rate_interval")
    ),
  ...Object.fromEntries(
    ["job", "instance"].map((
      name
    ) => [
      `target-${name}-rule`,
      (panel: Panel, board: Board) =>
        !isPrometheus(board) ||
        (panel.targets ?? []).every(({ expr = "" }) =>
          selectors(expanded(expr)).every(({ matchers }) =>
            matchers.some(({ label, operator, value }) => label === name && operator === "=~" && value === `$${name}`)
          )
        )
    ])
  ),
  // It passes over a counter with conditions; one without has to stand inside of these functions.
  "target-counter-agg-rule": ({ targets = [] }) =>
    targets.every(({ expr = "" }) =>
      !/_total\b(?!\{)/.test(expr.replaceAll(/\b(?:rate|irate|increase)\(\w+_total\[[^\]]*\]\)/g, ""))
    )
}

/** Everything that it finds in the committed dashboards. */
export const findings: ReadonlyArray<Finding> = boards.flatMap((board) => [
  ...Object.entries(ofBoard).flatMap(([rule, holds]) => holds(board) ? [] : [{ rule, dashboard: board.title }]),
  ...panelsOf(board).flatMap((panel) =>
    Object.entries(ofPanel).flatMap(([rule, holds]) =>
      holds(panel, board) ? [] : [{ rule, dashboard: board.title, panel: panel.title }]
    )
  )
])

/** The names of its rules. */
export const rules: ReadonlyArray<string> = [...Object.keys(ofBoard), ...Object.keys(ofPanel), "target-logql-auto-rule"]
