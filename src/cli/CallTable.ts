/** Tool calls as a table for people. */
import type { ListedCall } from "../query/CallSearch.ts"
import * as Column from "./Column.ts"
import * as Elapsed from "./Elapsed.ts"
import { inert } from "./InertText.ts"
import { tone, words } from "./StoryText.ts"
import type { Style } from "./Style.ts"

interface Field {
  readonly title: string
  readonly text: (call: ListedCall) => string
  readonly paint: (call: ListedCall, style: Style) => (text: string) => string
  /** The widest that the column gets, and the narrowest that it is cut to where space is short. */
  readonly most: number
  readonly least: number
  /** Fields with a higher number leave first where space is short. */
  readonly spare: number
}

const plain = () => (text: string) => text

/** An id is there to be copied: it is not cut below this width, however narrow the terminal. */
const widestId = 40

const fields: ReadonlyArray<Field> = [
  {
    title: "DECIDED",
    text: (call) => Elapsed.shortMoment(call.decidedAt ?? call.startedAt),
    paint: (_, style) => style.faint,
    most: 14,
    least: 14,
    spare: 1
  },
  { title: "ID", text: (call) => inert(call.id ?? call.key), paint: plain, most: widestId, least: widestId, spare: 0 },
  { title: "TOOL", text: (call) => inert(call.tool), paint: (_, style) => style.bold, most: 32, least: 8, spare: 0 },
  {
    title: "APPROVAL",
    text: (call) =>
      call.state === undefined || call.state === "not_required" ? "-" : timed(call.state, call.approvalWaitMillis),
    paint: (call, style) => style[tone(call.state)],
    most: 24,
    least: 8,
    spare: 0
  },
  {
    title: "OUTCOME",
    text: (call) => call.outcome === undefined ? "-" : timed(call.outcome, call.executionMillis),
    paint: (call, style) => style[tone(call.outcome)],
    most: 30,
    least: 7,
    spare: 0
  },
  {
    title: "FAULTS",
    text: (call) => call.faults === 0 ? "-" : String(call.faults),
    paint: (call, style) => call.faults === 0 ? style.faint : style.red,
    most: 6,
    least: 6,
    spare: 3
  },
  {
    title: "MODEL",
    text: (call) => inert(call.model ?? "-"),
    paint: (_, style) => style.faint,
    most: 28,
    least: 8,
    spare: 2
  }
]

/** How wide each column wants to be; 0 for one that says nothing of these calls. */
export type Widths = ReadonlyArray<number>

/** What the columns want for these calls, and wanted before: a list that goes on keeps its columns in line. */
export const widthsOf = (calls: ReadonlyArray<ListedCall>, before?: Widths): Widths =>
  fields.map((field, index) => {
    const known = before?.[index] ?? 0
    if (known === 0 && field.title === "FAULTS" && calls.every(({ faults }) => faults === 0)) return 0
    return calls.reduce(
      (widest, call) => Math.max(widest, Column.widthOf(Column.fit(field.text(call), field.most))),
      Math.max(known, field.title.length)
    )
  })

/** The line of titles. */
export const titleLine = (widths: Widths, width: number, style: Style): string =>
  style.faint(
    layOut(laid(widths), width).map(({ field, width }) => Column.left(field.title, width)).join("  ").trimEnd()
  )

/** A line for each call. */
export const callLines = (
  calls: ReadonlyArray<ListedCall>,
  widths: Widths,
  width: number,
  style: Style
): ReadonlyArray<string> => {
  const columns = layOut(laid(widths), width)
  return calls.map((call) =>
    columns.map(({ field, width }, index) => {
      const text = field.text(call)
      // Nothing comes after the last column: blanks would only make lines break on a narrower terminal.
      const cell = index === columns.length - 1 ? Column.fit(text, width) : Column.left(text, width)
      return field.paint(call, style)(cell)
    }).join("  ").trimEnd()
  )
}

/** The lines of the whole table, with a line of titles. */
export const callTable = (calls: ReadonlyArray<ListedCall>, width: number, style: Style): ReadonlyArray<string> => {
  const widths = widthsOf(calls)
  return [titleLine(widths, width, style), ...callLines(calls, widths, width, style)]
}

const laid = (widths: Widths): ReadonlyArray<Laid> =>
  fields.flatMap((field, index) => widths[index] === 0 ? [] : [{ field, width: widths[index]! }])

interface Laid {
  readonly field: Field
  readonly width: number
}

/** First the spare columns go, then the widest of the others shrinks, down to its least. */
const layOut = (columns: ReadonlyArray<Laid>, width: number): ReadonlyArray<Laid> => {
  const excess = columns.reduce((sum, column) => sum + column.width + 2, -2) - width
  if (excess <= 0) return columns
  const spare = columns.reduce((most, column) => column.field.spare > most.field.spare ? column : most, columns[0]!)
  if (spare.field.spare > 0) return layOut(columns.filter((column) => column !== spare), width)
  const slack = (column: Laid) =>
    column.width - Math.min(column.width, Math.max(column.field.least, column.field.title.length))
  const widest = columns.reduce((most, column) => slack(column) > slack(most) ? column : most, columns[0]!)
  if (slack(widest) === 0) return columns
  return layOut(columns.map((column) => column === widest ? { ...column, width: column.width - 1 } : column), width)
}

const timed = (value: string, millis: number | undefined): string =>
  millis === undefined ? words(value) : `${words(value)} ${Elapsed.duration(millis)}`
