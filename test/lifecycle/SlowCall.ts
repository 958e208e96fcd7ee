/** A call as the list of what was accepted about it, read anew for every question: slow and obvious. */
import * as fc from "fast-check"
import type { Reason } from "../../src/lifecycle/Refusal.ts"
import type { Signal, SignalTag } from "../../src/lifecycle/Signal.ts"
import type { ApprovalState, Identity, ToolCall } from "../../src/lifecycle/ToolCall.ts"

type Accepted = ReadonlyArray<Signal>

const ofTag = <Tag extends SignalTag>(accepted: Accepted, tag: Tag) =>
  accepted.filter((signal): signal is Extract<Signal, { readonly _tag: Tag }> => signal._tag === tag)

const lastApproval = (accepted: Accepted) =>
  accepted.findLast((signal) =>
    signal._tag === "ApprovalRequested" || signal._tag === "ApprovalAnswered" || signal._tag === "ApprovalAbandoned"
  ) as Extract<Signal, { readonly approvalId: string }> | undefined

const approvalOf = (accepted: Accepted): ApprovalState => {
  const last = lastApproval(accepted)
  switch (last?._tag) {
    case undefined:
      return "not_required"
    case "ApprovalRequested":
      return "pending"
    case "ApprovalAbandoned":
      return "abandoned"
    case "ApprovalAnswered":
      return last.approved ? "approved" : "denied"
  }
}

const number = (accepted: Accepted, tag: "ExecutionStarted" | "ExecutionEnded", execution: number): number =>
  ofTag(accepted, tag).filter((signal) => signal.execution === execution).length

const isFull = (accepted: Accepted, tag: "ExecutionStarted" | "ResultKnown"): boolean =>
  ofTag(accepted, tag).length >= 32

/** Why a signal makes no sense after what was accepted; `undefined` when it does. */
export const refusal = (accepted: Accepted, signal: Signal): Reason | undefined => {
  switch (signal._tag) {
    case "Decided":
      return ofTag(accepted, "Decided").length > 0 ? "already_decided" : undefined
    case "ApprovalRequested": {
      const last = lastApproval(accepted)
      return last?._tag === "ApprovalRequested" && last.approvalId === signal.approvalId
        ? "already_requested"
        : undefined
    }
    case "ApprovalAnswered":
      return undefined
    case "ApprovalAbandoned":
      switch (approvalOf(accepted)) {
        case "abandoned":
          return "already_abandoned"
        case "approved":
        case "denied":
          return "not_pending"
        case "pending":
        case "not_required":
          return undefined
      }
      return undefined
    case "ExecutionStarted":
      if (isFull(accepted, "ExecutionStarted") && signal.execution >= 32) return "too_many_executions"
      return ofTag(accepted, "ExecutionStarted").length === signal.execution ? undefined : "execution_out_of_order"
    case "PreliminaryReported":
    case "ExecutionEnded":
      if (isFull(accepted, "ExecutionStarted") && signal.execution >= 32) return "too_many_executions"
      if (number(accepted, "ExecutionStarted", signal.execution) === 0) return "unknown_execution"
      return number(accepted, "ExecutionEnded", signal.execution) > 0 ? "execution_already_ended" : undefined
    case "ResultKnown":
      if (isFull(accepted, "ResultKnown") && signal.result >= 32) return "too_many_results"
      return ofTag(accepted, "ResultKnown").length === signal.result ? undefined : "result_out_of_order"
    case "ResultConsumed":
      if (isFull(accepted, "ResultKnown") && signal.result >= 32) return "too_many_results"
      if (ofTag(accepted, "ResultKnown").every((known) => known.result !== signal.result)) return "unknown_result"
      return ofTag(accepted, "ResultConsumed").some((consumed) => consumed.result === signal.result)
        ? "result_already_consumed"
        : undefined
  }
}

/** The state of a call of which this was accepted. */
export const state = (identity: Identity, accepted: Accepted): ToolCall => ({
  identity,
  decided: ofTag(accepted, "Decided").length > 0,
  approval: approvalOf(accepted),
  approvalId: lastApproval(accepted)?.approvalId,
  answers: ofTag(accepted, "ApprovalAnswered").length,
  executions: ofTag(accepted, "ExecutionStarted").map((started) =>
    number(accepted, "ExecutionEnded", started.execution) > 0 ? "ended" : "running"
  ),
  results: ofTag(accepted, "ResultKnown").map((known) =>
    ofTag(accepted, "ResultConsumed").some((consumed) => consumed.result === known.result) ? "consumed" : "known"
  )
})

/** Whether something is still to come. */
export const waits = (identity: Identity, accepted: Accepted): boolean => {
  const { approval, executions, results } = state(identity, accepted)
  const waitsForAnswer = approval === "pending"
  const waitsForEnd = executions.some((execution) => execution === "running")
  const waitsForResult = results.length === 0 && approval !== "abandoned"
  const waitsForRequest = !identity.providerExecuted && results.some((result) => result === "known")
  return waitsForAnswer || waitsForEnd || waitsForResult || waitsForRequest
}

// Mostly the numbers that make sense, sometimes what no caller should say.
const index = fc.oneof(
  { weight: 8, arbitrary: fc.nat(3) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, -0) }
)
const id = fc.oneof(fc.constantFrom("", "ap1", "ap2", "__proto__", "constructor"), fc.string())
const outcome = fc.constantFrom(
  "success",
  "failure",
  "invalid_parameters",
  "invalid_result",
  "unknown_tool",
  "denied",
  "interrupted",
  "not_started"
)
const origin = fc.constantFrom("handler", "provider", "denial", "prompt", "synthesized")

/** Any signal. */
export const anySignal: fc.Arbitrary<Signal> = fc.oneof(
  fc.record({ _tag: fc.constant("Decided") }),
  fc.record({ _tag: fc.constant("ApprovalRequested"), approvalId: id }),
  fc.record({ _tag: fc.constant("ApprovalAnswered"), approvalId: id, approved: fc.boolean() }),
  fc.record({ _tag: fc.constant("ApprovalAbandoned"), approvalId: id }),
  fc.record({ _tag: fc.constant("ExecutionStarted"), execution: index }),
  fc.record({ _tag: fc.constant("PreliminaryReported"), execution: index }),
  fc.record({ _tag: fc.constant("ExecutionEnded"), execution: index, outcome }),
  fc.record({ _tag: fc.constant("ResultKnown"), result: index, outcome, origin }),
  fc.record({ _tag: fc.constant("ResultConsumed"), result: index })
) as fc.Arbitrary<Signal>

/** Any call, by any ids. */
export const anyIdentity: fc.Arbitrary<Identity> = fc.record({
  key: fc.string(),
  id: fc.option(id, { nil: undefined }),
  idSource: fc.constantFrom("provider", "synthesized", "missing"),
  occurrence: fc.integer({ min: 1, max: 5 }),
  name: fc.option(fc.string(), { nil: undefined }),
  requestedName: fc.option(fc.string(), { nil: undefined }),
  wireName: fc.option(fc.string(), { nil: undefined }),
  providerExecuted: fc.boolean()
}) as fc.Arbitrary<Identity>
