/** Figures of every tool. */
import type { ToolFigure } from "../store/ToolFigure.ts"
import { present } from "./Fact.ts"
import type { ToolFigures, Tools } from "./Overview.ts"

/** The newest calls, of which figures are made. */
export const figuresAtMost = 100_000

/** The value below which a share of the values lies; `undefined` where there are none. */
const quantile = (sorted: Float64Array, share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]

const figuresOf = ({ calls, executions, failures, faults, known, pending, tool, waits }: ToolFigure): ToolFigures => {
  const runs = Float64Array.from(executions).sort()
  const answers = Float64Array.from(waits).sort()
  return {
    tool,
    known,
    calls,
    failures,
    ...present("p50", quantile(runs, 0.5)),
    ...present("p95", quantile(runs, 0.95)),
    pending,
    ...present("waitP50", quantile(answers, 0.5)),
    ...present("waitP95", quantile(answers, 0.95)),
    faults
  }
}

/** Every tool in figures, the most called first. */
export const toolFigures = (figures: ReadonlyArray<ToolFigure>): Tools => ({ tools: figures.map(figuresOf) })
