/** What all dashboards have in common. */
import type * as Cog from "@grafana/grafana-foundation-sdk/cog"
import * as Dashboard from "@grafana/grafana-foundation-sdk/dashboard"
import type { Panel } from "./panels.ts"

/** Panels under a heading. */
export interface Row {
  readonly title: string
  readonly panels: ReadonlyArray<Panel>
}

/** What one dashboard is. */
export interface Definition {
  readonly uid: string
  readonly title: string
  readonly description: string
  /** The time range at first, up to now. */
  readonly from: string
  readonly refresh?: string
  readonly variables: ReadonlyArray<Cog.Builder<Dashboard.VariableModel>>
  readonly rows: ReadonlyArray<Row>
}

/** The tag by which the dashboards list each other. */
const tag = "toolspan"

/** Makes a dashboard (schema version 42, the last one of the v1 form). */
export const make = (definition: Definition): Dashboard.Dashboard => {
  const builder = new Dashboard.DashboardBuilder(definition.title)
    .uid(definition.uid)
    .description(definition.description)
    .tags([tag])
    .readonly()
    .tooltip(Dashboard.DashboardCursorSync.Crosshair)
    .time({ from: definition.from, to: "now" })
    .refresh(definition.refresh ?? "1m")
    .variables([...definition.variables])
    .link(
      new Dashboard.DashboardLinkBuilder("toolspan")
        .type(Dashboard.DashboardLinkType.Dashboards)
        .tags([tag])
        .asDropdown(true)
        .includeVars(true)
        .keepTime(true)
    )
  for (const row of definition.rows) {
    builder.withRow(new Dashboard.RowBuilder(row.title))
    for (const panel of row.panels) builder.withPanel(panel)
  }
  const dashboard = builder.build()
  dashboard.panels?.forEach((panel, index) => {
    panel.id = index + 1
  })
  return dashboard
}
