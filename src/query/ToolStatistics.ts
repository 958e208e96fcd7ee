/** Figures of every tool. */
import type { CallFigure } from "../store/TraceReader.ts"
import { present } from "./Fact.ts"
import type { ToolFigures, Tools } from "./Overview.ts"

/** The newest calls, of which figures are made. */
export const figuresAtMost = 100_000

const toolsAtMost = 1_000

const failures: ReadonlySet<string | undefined> = new Set([
  "failure",
  "invalid_parameters",
  "invalid_result",
  "unknown_tool"
])

/** The value below which a share of the values lies; `undefined` where there are none. */
const quantile = (sorted: Float64Array, share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]

const sorted = (values: ReadonlyArray<number | undefined>): Float64Array =>
  Float64Array.from(values.filter((value) => value !== undefined)).sort()

const figuresOf = (tool: string, calls: ReadonlyArray<CallFigure>): ToolFigures => {
  const runs = sorted(calls.map(({ execution }) => execution))
  const waits = sorted(calls.map(({ wait }) => wait))
  return {
    tool,
    known: calls.some(({ known }) => known),
    calls: calls.length,
    failures: calls.filter(({ outcome }) => failures.has(outcome)).length,
    ...present("p50", quantile(runs, 0.5)),
    ...present("p95", quantile(runs, 0.95)),
    pending: calls.filter(({ state }) => state === "pending").length,
    ...present("waitP50", quantile(waits, 0.5)),
    ...present("waitP95", quantile(waits, 0.95)),
    faults: calls.reduce((sum, { violations }) => sum + violations, 0)
  }
}

/** Every tool in figures, the most called first. */
export const toolFigures = (figures: ReadonlyArray<CallFigure>): Tools => ({
  tools: [...Map.groupBy(figures, ({ tool }) => tool)]
    .map(([tool, calls]) => figuresOf(tool, calls))
    .toSorted((one, other) => other.calls - one.calls || (one.tool < other.tool ? -1 : 1))
    .slice(0, toolsAtMost)
})
