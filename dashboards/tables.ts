/** Tables: of figures from Prometheus, of spans from Tempo. */
import * as Common from "@grafana/grafana-foundation-sdk/common"
import * as Prometheus from "@grafana/grafana-foundation-sdk/prometheus"
import * as Table from "@grafana/grafana-foundation-sdk/table"
import * as Tempo from "@grafana/grafana-foundation-sdk/tempo"
import { type About, instant, type Panel } from "./panels.ts"
import { prometheus, tempo } from "./variables.ts"

/** A column of a table: the names that the data may have (its own, or the one that the source shows), and what to show. */
export interface Column {
  readonly from: ReadonlyArray<string>
  readonly title: string
  readonly unit?: string
  /** Tempo's source gives every attribute as text, and text sorts 9 behind 10. */
  readonly number?: boolean
  readonly links?: ReadonlyArray<{ readonly title: string; readonly url: string }>
  /** What to show for certain values. */
  readonly values?: Readonly<Record<string, string>>
}

const columns = (panel: Table.PanelBuilder, shown: ReadonlyArray<Column>, hidden: ReadonlyArray<string>): void => {
  const numbers = shown.filter(({ number }) => number === true).flatMap(({ from }) => from)
  if (numbers.length > 0) {
    panel.withTransformation({
      id: "convertFieldType",
      options: {
        fields: {},
        conversions: numbers.map((name) => ({ targetField: name, destinationType: "number" }))
      }
    })
  }
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
    // What an empty table says is no text for each empty cell.
    .overrideByRegexp("/.*/", [{ id: "noValue", value: "" }])

/** The figures of a query as rows. */
export const figures = (about: About, expression: string, shown: ReadonlyArray<Column>): Panel => {
  const panel = table(about).datasource(prometheus).withTarget(
    instant(expression).format(Prometheus.PromQueryFormat.Table)
  )
  columns(panel, shown, ["Time"])
  return panel
}

/** At most 200 traces and 100 spans of each: what a table of that length can still be read for. */
const search = (query: string, tableType: Tempo.SearchTableType): Tempo.DataqueryBuilder =>
  new Tempo.DataqueryBuilder()
    .datasource(tempo)
    .refId("A")
    .queryType("traceql")
    .query(query)
    .filters([])
    .tableType(tableType)
    .limit(200)
    .spss(100)

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
    search(query, Tempo.SearchTableType.Spans)
  ).sortBy([new Common.TableSortByFieldStateBuilder().displayName(sort.by).desc(sort.descending)])
  columns(panel, shown, hiddenOfSpans)
  return panel
}

/** The found spans of each trace below that trace. */
export const byTrace = (about: About, query: string): Panel =>
  table(about).datasource(tempo).withTarget(
    search(query, Tempo.SearchTableType.Traces)
  )
