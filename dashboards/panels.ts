/** Panels: what each kind has in common. */
import type * as Cog from "@grafana/grafana-foundation-sdk/cog"
import * as BarGauge from "@grafana/grafana-foundation-sdk/bargauge"
import * as Common from "@grafana/grafana-foundation-sdk/common"
import * as Dashboard from "@grafana/grafana-foundation-sdk/dashboard"
import * as Prometheus from "@grafana/grafana-foundation-sdk/prometheus"
import * as Stat from "@grafana/grafana-foundation-sdk/stat"
import * as Tempo from "@grafana/grafana-foundation-sdk/tempo"
import * as TimeSeries from "@grafana/grafana-foundation-sdk/timeseries"
import { prometheus, tempo } from "./variables.ts"

/** A panel that is being built. */
export type Panel = Cog.Builder<Dashboard.Panel>

/** What every panel tells: `empty` is shown when there is nothing to show. */
export interface About {
  readonly title: string
  readonly description: string
  readonly unit: string
  readonly empty: string
  /** Of 24 columns. */
  readonly width?: number
  readonly height?: number
  /** From which value a figure turns red. */
  readonly red?: number
}

/** A query and the name of its series. */
export interface Line {
  readonly expression: string
  readonly legend: string
  readonly exemplars?: boolean
}

const limits = (red: number | undefined): Dashboard.ThresholdsConfigBuilder =>
  new Dashboard.ThresholdsConfigBuilder().mode(Dashboard.ThresholdsMode.Absolute).steps([
    { value: null, color: "green" },
    ...(red === undefined ? [] : [{ value: red, color: "red" }])
  ])

const refIds = "ABCDEFGH"

/** A query over the whole time range. */
export const instant = (expression: string, legend = ""): Prometheus.DataqueryBuilder =>
  new Prometheus.DataqueryBuilder().datasource(prometheus).refId("A").expr(expression).legendFormat(legend).instant()

/** One figure over the whole time range. */
export const stat = (about: About, expression: string): Panel =>
  new Stat.PanelBuilder()
    .title(about.title)
    .description(about.description)
    .unit(about.unit)
    .noValue(about.empty)
    .span(about.width ?? 6)
    .height(about.height ?? 4)
    .datasource(prometheus)
    .thresholds(limits(about.red))
    .colorMode(Common.BigValueColorMode.Value)
    .graphMode(Common.BigValueGraphMode.None)
    .reduceOptions(new Common.ReduceDataOptionsBuilder().calcs(["lastNotNull"]).fields("").values(false))
    .withTarget(instant(expression))

/** Lines over time. */
export const lines = (about: About, ...queries: ReadonlyArray<Line>): Panel => {
  const panel = new TimeSeries.PanelBuilder()
    .title(about.title)
    .description(about.description)
    .unit(about.unit)
    .noValue(about.empty)
    .span(about.width ?? 12)
    .height(about.height ?? 8)
    .datasource(prometheus)
    .min(0)
    .fillOpacity(10)
    .showPoints(Common.VisibilityMode.Never)
    .legend(
      new Common.VizLegendOptionsBuilder()
        .displayMode(Common.LegendDisplayMode.Table)
        .placement(Common.LegendPlacement.Bottom)
        .showLegend(true)
        .calcs(["lastNotNull", "max"])
    )
    .tooltip(
      new Common.VizTooltipOptionsBuilder().mode(Common.TooltipDisplayMode.Multi).sort(Common.SortOrder.Descending)
    )
  queries.forEach((query, index) => {
    panel.withTarget(
      new Prometheus.DataqueryBuilder()
        .datasource(prometheus)
        .refId(refIds.charAt(index))
        .expr(query.expression)
        .legendFormat(query.legend)
        .exemplar(query.exemplars ?? false)
        .range()
    )
  })
  return panel
}

/** Bars, one for each series, over the whole time range. */
export const bars = (about: About, query: Line): Panel =>
  new BarGauge.PanelBuilder()
    .title(about.title)
    .description(about.description)
    .unit(about.unit)
    .noValue(about.empty)
    .span(about.width ?? 12)
    .height(about.height ?? 8)
    .datasource(prometheus)
    .min(0)
    .thresholds(limits(about.red))
    .orientation(Common.VizOrientation.Horizontal)
    .displayMode(Common.BarGaugeDisplayMode.Basic)
    .reduceOptions(new Common.ReduceDataOptionsBuilder().calcs(["lastNotNull"]).fields("").values(false))
    .withTarget(instant(query.expression, query.legend))

/** One trace as a waterfall. */
export const waterfall = (about: About, query: string): Panel =>
  new Dashboard.PanelBuilder()
    .type("traces")
    .title(about.title)
    .description(about.description)
    .unit(about.unit)
    .noValue(about.empty)
    .span(about.width ?? 24)
    .height(about.height ?? 16)
    .datasource(tempo)
    .withTarget(
      new Tempo.DataqueryBuilder().datasource(tempo).refId("A").queryType("traceql").query(query).filters([]).limit(20)
    )
