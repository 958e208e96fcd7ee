/**
 * What Grafana's dashboard-linter is told to pass over, and why: it knows Prometheus alone, and scraped metrics alone. A
 * dashboard whose first data source is another one it passes over by itself.
 */
import type * as Dashboard from "@grafana/grafana-foundation-sdk/dashboard"
import { yaml } from "./yaml.ts"

const fromSpans =
  "These metrics are made from spans: they have no instance, and the service takes the place of the job."
const traceql = "This panel asks Tempo, in TraceQL."

/** The panels of a dashboard that are no rows. */
export const panelsOf = (dashboard: Dashboard.Dashboard): ReadonlyArray<Dashboard.Panel> =>
  (dashboard.panels ?? []).filter((panel): panel is Dashboard.Panel => panel.type !== "row")

const window = "$__rate_interval_ms"
const unknownVariable =
  "The linter does not know $__rate_interval_ms and takes it for a metric without job and instance."

/** The linter's configuration file, `.lint` beside the dashboards. */
export const exclusions = (dashboards: ReadonlyArray<Dashboard.Dashboard>): string => {
  const variables = (dashboard: Dashboard.Dashboard) => dashboard.templating?.list ?? []
  const looked = dashboards.filter((dashboard) =>
    variables(dashboard).find(({ type }) => type === "datasource")?.query === "prometheus"
  )
  const isScraped = (dashboard: Dashboard.Dashboard) => variables(dashboard).some(({ name }) => name === "job")
  const panelsWith = (reason: string, holds: (panel: Dashboard.Panel, of: Dashboard.Dashboard) => boolean) =>
    looked.flatMap((dashboard) =>
      panelsOf(dashboard).filter((panel) => holds(panel, dashboard)).map((panel) => ({
        dashboard: dashboard.title ?? "",
        panel: panel.title ?? "",
        reason
      }))
    )
  const unscraped = looked.filter((dashboard) => !isScraped(dashboard))
    .map((dashboard) => ({ dashboard: dashboard.title ?? "", reason: fromSpans }))
  const targets = [
    ...unscraped,
    ...panelsWith(unknownVariable, (panel, of) => isScraped(of) && JSON.stringify(panel.targets).includes(window))
  ]
  return yaml({
    exclusions: {
      "template-job-rule": { entries: unscraped },
      "template-instance-rule": { entries: unscraped },
      "target-job-rule": { entries: targets },
      "target-instance-rule": { entries: targets },
      "target-promql-rule": { entries: panelsWith(traceql, (panel) => panel.datasource?.type === "tempo") }
    }
  })
}
