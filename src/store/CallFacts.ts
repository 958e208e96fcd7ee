/**
 * What a call is searched, ordered and counted by.
 */
import * as SpanName from "../semconv/span.ts"
import type { StageSpan } from "./StageSpan.ts"

/** The facts of one call; `undefined` is what is not known. */
export interface CallFacts {
  readonly key: string
  readonly id: string | undefined
  readonly tool: string
  /** False when the model asked for a tool that the toolkit does not have. */
  readonly known: boolean
  readonly state: string | undefined
  readonly outcome: string | undefined
  readonly conversation: string | undefined
  readonly service: string | undefined
  readonly started: bigint
  /** How long the last run took, in milliseconds. */
  readonly execution: number | undefined
  /** How long a human took to answer, in milliseconds. */
  readonly wait: number | undefined
}

const millisBetween = (from: bigint, to: bigint): number => Number(to - from) / 1e6

/** The answer's own account of the wait, else the time between request and answer; the last answer counts. */
const waitOf = (approvals: ReadonlyArray<StageSpan>): number | undefined => {
  const answer = approvals.findLast(({ event }) => event === "resolved")
  if (answer === undefined || answer.wait !== undefined) return answer?.wait
  const asked = approvals.find(({ event }) => event === "requested")
  return asked === undefined ? undefined : millisBetween(asked.start, answer.start)
}

/** The last answer decides; without one, the newest span that knows a state. */
const stateOf = (spans: ReadonlyArray<StageSpan>): string | undefined =>
  (spans.findLast(({ event, stage, state }) => stage === "approval" && event !== "requested" && state !== undefined)
    ?? spans.findLast(({ state }) => state !== undefined))?.state

/** The facts of a call from its spans, which are in the order of time. */
export const ofSpans = (spans: ReadonlyArray<StageSpan>): CallFacts => {
  const first = <A>(value: (span: StageSpan) => A | undefined): A | undefined => {
    for (const span of spans) {
      const found = value(span)
      if (found !== undefined) return found
    }
    return undefined
  }
  const of = (stage: string) => spans.filter((span) => span.stage === stage)
  const execution = of("execution").at(-1)
  const tool = first((span) => span.tool)
  return {
    key: first((span) => span.key) ?? "",
    id: first((span) => span.id),
    tool: tool ?? first((span) => span.requested) ?? SpanName.unknownTool,
    known: tool !== undefined,
    state: stateOf(spans),
    outcome: of("result").at(-1)?.outcome ?? execution?.outcome,
    conversation: first((span) => span.conversation),
    service: first((span) => span.service),
    started: spans[0]!.start,
    execution: execution && millisBetween(execution.start, execution.end),
    wait: waitOf(of("approval"))
  }
}
