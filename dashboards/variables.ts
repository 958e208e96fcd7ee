/** The variables at the top of the dashboards. */
import * as Dashboard from "@grafana/grafana-foundation-sdk/dashboard"
import { kinds } from "../src/semconv/violation.ts"
import * as Queries from "./queries.ts"

/** The data source in a panel or variable: the one chosen at the top. */
export const prometheus = { type: "prometheus", uid: "${prometheus_datasource}" }
/** The same for traces. */
export const tempo = { type: "tempo", uid: "${tempo_datasource}" }

const dataSource = (type: "prometheus" | "tempo", title: string): Dashboard.DatasourceVariableBuilder =>
  new Dashboard.DatasourceVariableBuilder(`${type}_datasource`)
    .label(`${title} data source`)
    .type(type)
    .current({ text: title, value: type })

/** Which Prometheus. */
export const prometheusSource = (): Dashboard.DatasourceVariableBuilder => dataSource("prometheus", "Prometheus")
/** Which Tempo. */
export const tempoSource = (): Dashboard.DatasourceVariableBuilder => dataSource("tempo", "Tempo")

const all = { text: "All", value: "$__all" }

/** Values that Prometheus knows. `.*` for all of them also takes series that lack the label, `.+` does not. */
const known = (name: string, label: string, query: string, allValue = ".*"): Dashboard.QueryVariableBuilder =>
  new Dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(prometheus)
    .query(query)
    .definition(query)
    .refresh(Dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(Dashboard.VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue(allValue)
    .current(all)

/** Which services. */
export const service = (): Dashboard.QueryVariableBuilder => known("service", "Service", Queries.variables.service)
/** Which tools. */
export const tool = (): Dashboard.QueryVariableBuilder => known("tool", "Tool", Queries.variables.tool)
/** Which agents. */
export const agent = (): Dashboard.QueryVariableBuilder => known("agent", "Agent", Queries.variables.agent)
/** Which scrape jobs. */
export const job = (): Dashboard.QueryVariableBuilder => known("job", "Job", Queries.variables.job, ".+")
/** Which collectors. */
export const instance = (): Dashboard.QueryVariableBuilder =>
  known("instance", "Instance", Queries.variables.instance, ".+")

/** Which kinds of pairing fault. */
export const kind = (): Dashboard.CustomVariableBuilder =>
  new Dashboard.CustomVariableBuilder("kind")
    .label("Fault")
    .values(kinds.join(","))
    .multi(true)
    .includeAll(true)
    .allValue(".*")
    .current(all)

/** From which duration an execution counts as slow. */
export const slower = (): Dashboard.CustomVariableBuilder =>
  new Dashboard.CustomVariableBuilder("slower")
    .label("Slower than")
    .values("500ms,1s,2s,5s,10s,30s,1m,5m")
    .allowCustomValue(false)
    .current({ text: "2s", value: "2s" })

const box = (name: string, label: string, description: string): Dashboard.TextBoxVariableBuilder =>
  new Dashboard.TextBoxVariableBuilder(name)
    .label(label)
    .description(description)
    .defaultValue("")
    .current({ text: "", value: "" })

/** The id or key of a tool call. */
export const id = (): Dashboard.TextBoxVariableBuilder =>
  box("id", "Tool call id", "The id that the provider gave, or the call's key; exactly as it is.")
/** A trace that a click chose, or that was typed. */
export const trace = (): Dashboard.TextBoxVariableBuilder =>
  box("trace", "Trace", "The trace at the bottom. A click on a span or link above fills it in.")
/** A span that a click chose, or that was typed. */
export const span = (): Dashboard.TextBoxVariableBuilder =>
  box("span", "Span", "The span whose links are followed. A click on a span or link above fills it in.")
/** A conversation that was typed. */
export const conversation = (): Dashboard.TextBoxVariableBuilder =>
  box("conversation", "Conversation", "Lists the tool calls of this conversation.")
