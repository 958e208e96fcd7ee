import type * as Tracer from "effect/Tracer"
import * as Limit from "../lifecycle/limit.ts"
import type { ExecutionStart, Place } from "../lifecycle/SpanWriter.ts"
import type { ApprovalState, Outcome } from "../lifecycle/ToolCall.ts"
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import { errorKind } from "./errorKind.ts"
import type { EndedInput } from "./Input.ts"
import * as OpenTelemetry from "./openTelemetry.ts"
import type * as Refusal from "./Refusal.ts"
import { isOutcome } from "./results.ts"
import type { Session } from "./Session.ts"

/**
 * One run of a call's tool: what `started` returns.
 *
 * The run's span ends once, with the first `ended`; whatever comes later is refused.
 */
export interface Execution {
  readonly _tag: "Execution"
  /** The run's span, for `Effect.withParentSpan`; inside of `run` it is the active span of OpenTelemetry. */
  readonly span: Tracer.AnySpan
  /** Runs the tool with the run's span in context, and gives back what it gives. */
  readonly run: <A>(body: () => A) => A
  /** Tells a preliminary result. */
  readonly progressed: (value?: unknown) => Refusal.Refusal | undefined
  /** Tells how the run ended: `{ result }`, `{ error }`, or another outcome. */
  readonly ended: (input?: EndedInput) => Refusal.Refusal | undefined
}

const failures: ReadonlySet<Outcome> = new Set(["failure", "invalid_parameters", "invalid_result"])

const origins: Partial<Record<Outcome, "parameters" | "handler" | "result">> = {
  invalid_parameters: "parameters",
  failure: "handler",
  invalid_result: "result"
}

/** Begins a run: its signal was accepted as the `index`-th of its call. */
export const begin = (
  session: Session,
  place: Place,
  tracked: TrackedCall,
  index: number,
  facts: ExecutionStart,
  onEnd: (execution: Execution) => void
): Execution | Refusal.Refusal => {
  const { api } = session.surroundings
  const approval: ApprovalState = facts.approval
  const span = session.guarded(() => session.writer.openExecution(place, tracked, facts, session.now()))
  if (span._tag === "Refusal") {
    // A run without a span is none that a result has to wait for.
    session.say(tracked, { _tag: "ExecutionEnded", execution: index, outcome: "interrupted" })
    return span
  }
  tracked.executed(span)
  session.executions++
  let preliminaries = 0
  const execution: Execution = {
    _tag: "Execution",
    span,
    run: (body) => api === undefined ? body() : OpenTelemetry.run(api, span, body),
    progressed: (value) =>
      session.guarded(() => {
        const refused = session.say(tracked, { _tag: "PreliminaryReported", execution: index })
        if (refused !== undefined) return refused
        if (preliminaries >= Limit.maximumPreliminaryEvents) session.dropped.preliminaries++
        session.writer.preliminary(place, span, tracked, preliminaries++, value, session.nowAfter(span))
        return undefined
      }),
    ended: (input = {}) =>
      session.guarded(() => {
        // Read first: an app's object that cannot be read has ended nothing.
        const { error, failureMode = "return", result } = input
        const outcome = input.outcome ?? (error === undefined || error === null ? "success" : "failure")
        if (!isOutcome(outcome)) return session.refuse("invalid_input")
        const refused = session.say(tracked, { _tag: "ExecutionEnded", execution: index, outcome })
        if (refused !== undefined) return refused
        onEnd(execution)
        const origin = origins[outcome]
        const failure = origin === undefined ? undefined : { mode: failureMode, origin }
        // A result that will not be written is not kept.
        session.ends.set(tracked, { outcome, failure, result: place.content.results ? result : undefined })
        session.writer.endExecution(place, span, tracked, {
          approval,
          outcome,
          errorType: failures.has(outcome) || outcome === "unknown_tool"
            ? errorKind(error) ?? (outcome === "unknown_tool" ? "unknown_tool" : "_OTHER")
            : undefined,
          failure,
          preliminaries,
          result,
          failureValue: error ?? undefined
        }, session.nowAfter(span))
        return undefined
      })
  }
  return execution
}
