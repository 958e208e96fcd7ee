/** Panels: what each kind has in common. */
import type * as Cog from "@grafana/grafana-foundation-sdk/cog"
import * as BarGauge from "@grafana/grafana-foundation-sdk/bargauge"
import * as Common from "@grafana/grafana-foundation-sdk/common"
import * as Dashboard from "@grafana/grafana-foundation-sdk/dashboard"
import * as Prometheus from "@grafana/grafana-foundation-sdk/prometheus"
import * as Stat from "@grafana/grafana-foundation-sdk/stat"
import * as Table from "@grafana/grafana-foundation-sdk/table"
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

const instant = (expression: string, legend = ""): Prometheus.DataqueryBuilder =>
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

/** A column of a table: the names that the data may have (its own, or the one that the source shows), and what to show. */
export interface Column {
  readonly from: ReadonlyArray<string>
  readonly title: string
  readonly unit?: string
  readonly links?: ReadonlyArray<{ readonly title: string; readonly url: string }>
  /** What to show for certain values. */
  readonly values?: Readonly<Record<string, string>>
}

const columns = (panel: Table.PanelBuilder, shown: ReadonlyArray<Column>, hidden: ReadonlyArray<string>): void => {
  panel.withTransformation({
    id: "organize",
    options: {
      excludeByName: Object.fromEntries(hidden.map((name) => [name, true])),
      indexByName: Object.fromEntries(shown.flatMap((column, index) => column.from.map((name) => [name, index]))),
      renameByName: Object.fromEntries(shown.flatMap((column) => column.from.map((name) => [name, column.title])))
    }
  })
  for (const { title, unit, links, values } of shown) {
    const properties = [
      ...(unit === undefined ? [] : [{ id: "unit", value: unit }]),
      ...(links === undefined ? [] : [{ id: "links", value: links }]),
      ...(values === undefined ? [] : [{
        id: "mappings",
        value: [{
          type: "value",
          options: Object.fromEntries(Object.entries(values).map(([key, text]) => [key, { text }]))
        }]
      }])
    ]
    if (properties.length > 0) panel.overrideByName(title, properties)
  }
}

const table = (about: About): Table.PanelBuilder =>
  new Table.PanelBuilder()
    .title(about.title)
    .description(about.description)
    .unit(about.unit)
    .noValue(about.empty)
    .span(about.width ?? 24)
    .height(about.height ?? 9)
    .showHeader(true)
    .filterable(true)

/** The figures of a query as rows. */
export const figures = (about: About, expression: string, shown: ReadonlyArray<Column>): Panel => {
  const panel = table(about).datasource(prometheus).withTarget(
    instant(expression).format(Prometheus.PromQueryFormat.Table)
  )
  columns(panel, shown, ["Time"])
  return panel
}

/** `traceIdHidden` stays, unseen: links take the trace from it. */
const hiddenOfSpans = ["traceService", "traceName", "Trace Service", "Trace Name"]

/** Found spans as rows; `sort` is the title of a column. */
export const spans = (
  about: About,
  query: string,
  shown: ReadonlyArray<Column>,
  sort: { readonly by: string; readonly descending: boolean }
): Panel => {
  const panel = table(about).datasource(tempo).withTarget(
    new Tempo.DataqueryBuilder()
      .datasource(tempo)
      .refId("A")
      .queryType("traceql")
      .query(query)
      .filters([])
      .tableType(Tempo.SearchTableType.Spans)
      .limit(200)
      .spss(100)
  ).sortBy([new Common.TableSortByFieldStateBuilder().displayName(sort.by).desc(sort.descending)])
  columns(panel, shown, hiddenOfSpans)
  return panel
}

/** The found spans of each trace below that trace. */
export const byTrace = (about: About, query: string): Panel =>
  table(about).datasource(tempo).withTarget(
    new Tempo.DataqueryBuilder()
      .datasource(tempo)
      .refId("A")
      .queryType("traceql")
      .query(query)
      .filters([])
      .tableType(Tempo.SearchTableType.Traces)
      .limit(200)
      .spss(100)
  )

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
