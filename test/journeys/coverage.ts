/** What became of the program `coverage.mjs`, as a line of a table. */
import type { SentSpan } from "./otlpSink.ts"

const columns = [
  "tool_call",
  "execute_tool",
  "tool_result",
  "chat",
  "manual",
  "leak closed",
  "manual leak closed"
] as const

export type Coverage = Readonly<Record<typeof columns[number], string>>

/** Counts over the program's two turns and its `handle` by hand; `yes` is once for each. */
export const coverageOf = (spans: ReadonlyArray<SentSpan>): Coverage => {
  const root = (span: SentSpan): string => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
    return parent === undefined ? span.name : root(parent)
  }
  const under = (prefix: string, ...roots: ReadonlyArray<string>) =>
    spans.filter((span) => span.name.startsWith(prefix) && roots.includes(root(span))).length
  const turns = ["app.generate", "app.stream"]
  const said = (count: number, wanted: number) =>
    count === wanted ? "yes" : count === 0 ? "no" : `${count} of ${wanted}`
  const leaks = (...roots: ReadonlyArray<string>) =>
    spans.some((span) => roots.includes(root(span)) && "parameters" in span.attributes) ? "no" : "yes"
  return {
    "tool_call": said(under("tool_call lookup", ...turns), 2),
    "execute_tool": said(under("execute_tool lookup", ...turns), 2),
    "tool_result": said(under("tool_result lookup", ...turns), 2),
    "chat": said(under("chat", ...turns), 2),
    "manual": said(under("execute_tool lookup", "app.manual"), 1),
    "leak closed": leaks(...turns),
    "manual leak closed": leaks("app.manual")
  }
}

/** The table of many. */
export const coverageTable = (rows: Readonly<Record<string, Coverage>>): string => {
  const first = Math.max(...Object.keys(rows).map((name) => name.length))
  const line = (name: string, cells: ReadonlyArray<string>) =>
    `${name.padEnd(first)} | ${cells.map((cell, index) => cell.padEnd(columns[index]!.length)).join(" | ")}`.trimEnd()
  return [
    line("", columns),
    ...Object.entries(rows).map(([name, row]) => line(name, columns.map((column) => row[column])))
  ].join("\n")
}
