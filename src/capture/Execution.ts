/** One run of a handler: a `Toolkit.handle` call from its start to its one end. */
import type * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import type { Failure, Link, Place } from "../lifecycle/SpanWriter.ts"
import type { ApprovalState, Outcome } from "../lifecycle/ToolCall.ts"
import type { TrackedCall, TrackedResult } from "../lifecycle/TrackedCall.ts"
import * as ErrorType from "./errorType.ts"
import type { Decision } from "./Decision.ts"
import * as HostSpan from "./hostSpan.ts"
import type { Observation } from "./Observation.ts"
import type { Way } from "./results.ts"
import type { HandlerResult, Tool } from "./shape.ts"

/** What is known when a handler starts. */
export interface ExecutionDraft {
  readonly tracked: TrackedCall
  readonly hostId: string | undefined
  readonly tool: Tool | undefined
  readonly params: unknown
  readonly decision: Decision | undefined
  /** The approval that let it run. */
  readonly approval: string | undefined
  readonly links: ReadonlyArray<Link>
  readonly ambiguous: boolean
}

const invalidResultTags: ReadonlySet<string> = new Set(["InvalidToolResultError", "ToolResultEncodingError"])

/** Where a returned failure came from; older hosts do not say, so the kind of the error tells. */
const originOf = (result: HandlerResult, errorType: string): Failure["origin"] =>
  result.failureOrigin ??
    (errorType === "ToolParameterValidationError"
      ? "parameters"
      : invalidResultTags.has(errorType)
      ? "result"
      : "handler")

const outcomes: Readonly<Record<Failure["origin"], Outcome>> = {
  parameters: "invalid_parameters",
  handler: "failure",
  result: "invalid_result"
}

export class Execution {
  readonly tracked: TrackedCall
  readonly hostId: string | undefined
  readonly decision: Decision | undefined
  readonly approval: string | undefined
  readonly span: Tracer.Span
  /** The span under which the handler runs. */
  readonly handlerSpan: Tracer.AnySpan
  readonly place: Place
  /** Where its result has gone. */
  readonly ways = new Set<Way>()
  /** The last result that is not preliminary. */
  final: HandlerResult | undefined
  outcome: Outcome | undefined
  failure: Failure | undefined
  endTime: bigint | undefined
  result: TrackedResult | undefined
  readonly #observation: Observation
  readonly #now: () => bigint
  readonly #index: number
  readonly #approvalState: ApprovalState
  #preliminaries = 0

  constructor(observation: Observation, place: Place, now: () => bigint, draft: ExecutionDraft) {
    const { tracked } = draft
    this.#observation = observation
    this.#now = now
    this.#index = tracked.executions.length
    this.tracked = tracked
    this.hostId = draft.hostId
    this.decision = draft.decision
    this.approval = draft.approval
    this.place = place
    observation.counters.executions++
    observation.say(tracked, { _tag: "ExecutionStarted", execution: this.#index })
    this.#approvalState = draft.approval === undefined ? tracked.call.approval : "approved"
    this.span = observation.writer.openExecution(place, tracked, {
      approval: this.#approvalState,
      approvalId: draft.approval ?? tracked.call.approvalId,
      description: draft.tool?.description,
      droppedArguments: draft.decision?.droppedArguments ?? 0,
      links: draft.links,
      ambiguous: draft.ambiguous,
      arguments: draft.params
    }, now())
    tracked.executed(this.span)
    this.handlerSpan = place.silent ? place.parent ?? this.span : HostSpan.dropToolAttributes(this.span)
  }

  /** Takes what the handler's stream emits. */
  onResult(result: HandlerResult): void {
    if (result.preliminary === true) {
      // A handler that was taken away may have something in its queue.
      if (this.outcome !== undefined) return
      this.#observation.writer.preliminary(
        this.place,
        this.span,
        this.tracked,
        this.#preliminaries++,
        result.encodedResult,
        this.#now()
      )
      return
    }
    this.final = result
    if (!result.isFailure) return this.#end("success", undefined, undefined, undefined)
    const errorType = ErrorType.ofValue(result.result)
    const origin = originOf(result, errorType)
    this.#end(outcomes[origin], errorType, { mode: "return", origin }, result.result)
  }

  /** The handler's stream is over, or `handle` failed before there was one; nothing once it has ended. */
  onEnd(exit: Exit.Exit<unknown, unknown>, beforeHandler = false): void {
    if (this.outcome !== undefined) return
    const value = exit._tag === "Failure" ? ErrorType.valueOf(exit.cause) : undefined
    // A stream that ends without a final result had its handler taken away.
    if (value === undefined) return this.#end("interrupted", undefined, undefined, undefined)
    const errorType = ErrorType.ofValue(value.error)
    if (beforeHandler && errorType === "ToolNotFoundError") {
      return this.#end("unknown_tool", errorType, undefined, value.error)
    }
    const origin = beforeHandler && errorType === "ToolParameterValidationError"
      ? "parameters"
      : invalidResultTags.has(errorType)
      ? "result"
      : "handler"
    this.#end(outcomes[origin], errorType, { mode: "error", origin }, value.error)
  }

  #end(outcome: Outcome, errorType: string | undefined, failure: Failure | undefined, failureValue: unknown): void {
    if (this.outcome !== undefined) return
    this.outcome = outcome
    this.failure = failure
    this.endTime = this.#now()
    this.#observation.say(this.tracked, { _tag: "ExecutionEnded", execution: this.#index, outcome })
    this.#observation.writer.endExecution(this.place, this.span, this.tracked, {
      approval: this.#approvalState,
      outcome,
      errorType,
      failure,
      preliminaries: this.#preliminaries,
      result: this.final?.encodedResult,
      failureValue
    }, this.endTime)
  }
}
