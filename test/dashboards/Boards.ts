/** The dashboards as Grafana reads them: from the committed files. */
import * as fs from "node:fs"
import * as path from "node:path"

export interface Target {
  readonly refId: string
  readonly datasource: { readonly type: string; readonly uid: string }
  readonly expr?: string
  readonly query?: string
  readonly exemplar?: boolean
  readonly legendFormat?: string
}

export interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource?: { readonly type: string; readonly uid: string }
  readonly targets?: ReadonlyArray<Target>
  readonly transformations?: ReadonlyArray<
    { readonly id: string; readonly options: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  >
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string; readonly noValue?: string }
    readonly overrides: ReadonlyArray<{
      readonly matcher: { readonly id: string; readonly options: string }
      readonly properties: ReadonlyArray<{ readonly id: string; readonly value: unknown }>
    }>
  }
}

export interface Variable {
  readonly name: string
  readonly type: string
  readonly label: string
  readonly query: string
  readonly multi: boolean
  readonly allValue?: string
  readonly refresh?: number
  readonly datasource?: { readonly uid: string }
  readonly current?: { readonly value: string }
}

export interface Board {
  readonly file: string
  readonly uid: string
  readonly title: string
  readonly description: string
  readonly editable: boolean
  readonly schemaVersion: number
  readonly tags: ReadonlyArray<string>
  readonly links: ReadonlyArray<
    {
      readonly type: string
      readonly tags: ReadonlyArray<string>
      readonly includeVars: boolean
      readonly keepTime: boolean
    }
  >
  readonly panels: ReadonlyArray<Panel>
  readonly templating: { readonly list: ReadonlyArray<Variable> }
}

/** The folder with the dashboards' sources. */
export const folder = path.resolve(import.meta.dirname, "../../dashboards")

/** All dashboards. */
export const boards: ReadonlyArray<Board> = fs.readdirSync(path.join(folder, "out"))
  .filter((file) => file.endsWith(".json"))
  .map((file) => ({ file, ...JSON.parse(fs.readFileSync(path.join(folder, "out", file), "utf8")) }))

/** Their panels, headings left out. */
export const panelsOf = (board: Board): ReadonlyArray<Panel> => board.panels.filter(({ type }) => type !== "row")

/** Every panel with its dashboard. */
export const panels = boards.flatMap((board) => panelsOf(board).map((panel) => ({ board, panel })))

/** Every query to Prometheus, with where it stands. */
export const promQueries = panels.flatMap(({ board, panel }) =>
  (panel.targets ?? []).flatMap((target) =>
    target.expr === undefined ? [] : [{ board, panel, expression: target.expr, legend: target.legendFormat ?? "" }]
  )
)

/** Every search for spans; the panel that shows a trace by its id is none. */
export const searches = panels.flatMap(({ board, panel }) =>
  (panel.targets ?? []).flatMap((target) =>
    target.query === undefined || panel.type === "traces" ? [] : [{ board, panel, query: target.query }]
  )
)
