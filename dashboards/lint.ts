/** What Grafana's dashboard-linter is told to pass over, and why: it knows Prometheus alone, and scraped metrics alone. */
import type * as Dashboard from "@grafana/grafana-foundation-sdk/dashboard"
import { yaml } from "./yaml.ts"

const fromSpans =
  "These metrics are made from spans: they have no instance, and the service takes the place of the job."
const traceql = "This panel asks Tempo, in TraceQL."

/** The panels of a dashboard that are no rows. */
export const panelsOf = (dashboard: Dashboard.Dashboard): ReadonlyArray<Dashboard.Panel> =>
  (dashboard.panels ?? []).filter((panel): panel is Dashboard.Panel => panel.type !== "row")

/** The linter's configuration file, `.lint` beside the dashboards. */
export const exclusions = (dashboards: ReadonlyArray<Dashboard.Dashboard>): string => {
  const unscraped = dashboards.filter((dashboard) => !dashboard.templating?.list?.some(({ name }) => name === "job"))
    .map((dashboard) => ({ dashboard: dashboard.title ?? "", reason: fromSpans }))
  const traces = dashboards.flatMap((dashboard) =>
    panelsOf(dashboard).filter((panel) => panel.datasource?.type === "tempo").map((panel) => ({
      dashboard: dashboard.title ?? "",
      panel: panel.title ?? "",
      reason: traceql
    }))
  )
  return yaml({
    exclusions: {
      "template-job-rule": { entries: unscraped },
      "template-instance-rule": { entries: unscraped },
      "target-job-rule": { entries: unscraped },
      "target-instance-rule": { entries: unscraped },
      "target-promql-rule": { entries: traces }
    }
  })
}
