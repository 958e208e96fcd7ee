/** The spans of a story as a tree with bars, one trace under the other. */
import type { Story } from "../query/Story.ts"
import type { StorySpan, StoryTrace } from "../query/StoryTrace.ts"
import { millisBetween } from "../query/Instant.ts"
import * as Column from "./Column.ts"
import * as Elapsed from "./Elapsed.ts"
import { inert } from "./InertText.ts"
import type { Mark, Style } from "./Style.ts"

/** How a role looks: a sign for the stages of the call, and a colour. */
export const looks: Readonly<Record<StorySpan["role"], { readonly sign: string; readonly mark: Mark }>> = {
  decision: { sign: "◆ ", mark: "cyan" },
  approval: { sign: "◇ ", mark: "yellow" },
  execution: { sign: "▶ ", mark: "blue" },
  result: { sign: "● ", mark: "green" },
  consumer: { sign: "○ ", mark: "magenta" },
  inside: { sign: "", mark: "blue" },
  chat: { sign: "", mark: "faint" },
  turn: { sign: "", mark: "faint" },
  around: { sign: "", mark: "faint" }
}

const offsetWidth = 10
const durationWidth = 10
/** Deeper spans keep their order, but are no longer indented. */
const maxIndent = 9
/** A trace is shown with this many lines; the JSON has the rest. */
const maxLines = 60

/** Lines for all traces of the story; times are relative to `origin`. */
export const waterfall = (story: Story, origin: bigint, width: number, style: Style): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let before: StoryTrace | undefined
  for (const trace of story.traces) {
    if (before !== undefined) lines.push(...gap(before, trace, story, style))
    lines.push("", ...section(trace, origin, width, style))
    before = trace
  }
  return lines
}

const endOf = (span: StorySpan): bigint => span.start + BigInt(Math.round(span.durationMillis * 1e6))

const firstStart = (trace: StoryTrace) =>
  trace.spans.reduce((first, { start }) => start < first ? start : first, trace.spans[0]!.start)

const lastEnd = (trace: StoryTrace) =>
  trace.spans.reduce((last, span) => endOf(span) > last ? endOf(span) : last, endOf(trace.spans[0]!))

/** What passed between two traces, and what was waited for. */
const gap = (before: StoryTrace, after: StoryTrace, story: Story, style: Style): ReadonlyArray<string> => {
  const [from, to] = [lastEnd(before), firstStart(after)]
  if (to <= from) return []
  const asked = story.approvals.find((approval) => approval.event === "requested")
  const answered = story.approvals.find((approval) => approval.event === "resolved")
  const waited = asked !== undefined && answered !== undefined && asked.at <= to && answered.at >= to
  return [
    "",
    style.yellow(`  ⋮ ${Elapsed.duration(millisBetween(from, to))} ${waited ? "until the answer came" : "later"}`)
  ]
}

const section = (trace: StoryTrace, origin: bigint, width: number, style: Style): ReadonlyArray<string> => {
  const services = [...new Set(trace.spans.flatMap((span) => span.service ?? []))].map(inert).join(", ")
  const title = `trace ${trace.traceId}${services === "" ? "" : ` · ${services}`}`
  const shown = trace.spans.slice(0, maxLines)
  const more = trace.spans.length - shown.length
  const rest = trace.hidden + more
  const barWidth = width < 70 ? 0 : Math.min(48, Math.floor(width * 0.25))
  const labelWidth = Math.max(12, width - offsetWidth - durationWidth - 2 - (barWidth === 0 ? 0 : barWidth + 2))
  const [from, to] = [firstStart(trace), lastEnd(trace)]
  const stems = stemsOf(shown, Math.min(maxIndent, Math.floor((labelWidth - 8) / 3)))
  return [
    `  ${style.bold(Column.fit(title, width - 2))}`,
    ...shown.map((span, index) => {
      const { mark, sign } = looks[span.role]
      const paint = span.failed && mark !== "faint" ? style.red : style[mark]
      const stem = stems[index]!
      const name = Column.fit(`${sign}${inert(span.name)}`, Math.max(1, labelWidth - Column.widthOf(stem)))
      const filler = " ".repeat(Math.max(0, labelWidth - Column.widthOf(stem) - Column.widthOf(name)))
      const offset = Column.right(Elapsed.offset(millisBetween(origin, span.start)), offsetWidth)
      const length = Column.right(
        span.durationMillis === 0 ? "·" : Elapsed.duration(span.durationMillis),
        durationWidth
      )
      const drawn = barWidth === 0 ? "" : `  ${paint(bar(span, from, to, barWidth))}`
      return `${offset}  ${style.faint(stem)}${paint(name)}${filler}${length}${drawn}`.trimEnd()
    }),
    ...(rest === 0 ? [] : [style.faint(`${" ".repeat(offsetWidth)}  … ${rest} more ${rest === 1 ? "span" : "spans"}`)])
  ]
}

/** The branch lines before each name. */
const stemsOf = (spans: ReadonlyArray<StorySpan>, maxDepth: number): ReadonlyArray<string> => {
  // Read from the end: a span is the last of its siblings when no later one of its depth comes before a shallower one.
  const open: Array<boolean> = []
  const stems = spans.map(() => "")
  for (let index = spans.length - 1; index >= 0; index--) {
    const depth = Math.min(spans[index]!.depth, maxDepth)
    open.length = Math.min(open.length, depth + 1)
    const last = open[depth] !== true
    open[depth] = true
    if (depth === 0) continue
    let stem = ""
    for (let level = 1; level < depth; level++) stem += open[level] === true ? "│  " : "   "
    stems[index] = stem + (last ? "└─ " : "├─ ")
  }
  return stems
}

const bar = (span: StorySpan, from: bigint, to: bigint, width: number): string => {
  const whole = Math.max(1, Number(to - from))
  const at = (instant: bigint) => (Number(instant - from) / whole) * width
  const start = Math.min(width - 1, Math.max(0, Math.floor(at(span.start))))
  if (span.durationMillis === 0) return " ".repeat(start) + "•"
  const end = Math.min(width, Math.max(start + 1, Math.round(at(endOf(span)))))
  return " ".repeat(start) + "━".repeat(end - start)
}
