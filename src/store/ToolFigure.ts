/**
 * What is counted of each tool, and over how many calls.
 */

/** One tool, and what figures of it are made of. */
export interface ToolFigure {
  readonly tool: string
  /** Whether a toolkit had it. */
  readonly known: boolean
  readonly calls: number
  /** Calls that ended in one of {@link failures}. */
  readonly failures: number
  /** Calls that wait for an answer. */
  readonly pending: number
  /** Faults that were reported for its calls. */
  readonly faults: number
  /** How long runs, and answers of a human, took in the newest of these calls, in milliseconds. */
  readonly executions: ReadonlyArray<number>
  readonly waits: ReadonlyArray<number>
}

/** The outcomes of `toolspan.outcome` that are failures. */
export const failures: ReadonlySet<string | undefined> = new Set([
  "failure",
  "invalid_parameters",
  "invalid_result",
  "unknown_tool"
])

/** Tools that are told of, the most called first. */
export const toolsAtMost = 1_000

/** Calls of one tool whose durations are given, at most, and of all together. */
const durationsOfTool = 1_000
const durationsAtMost = 10_000

/** Calls of each tool whose durations are given: 1,000, or fewer where there are more than 10 tools. */
export const durationsOfEach = (tools: number): number =>
  Math.min(durationsOfTool, Math.floor(durationsAtMost / Math.max(1, tools)))
