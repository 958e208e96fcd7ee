import * as Refusal from "./Refusal.ts"
import type { Signal } from "./Signal.ts"
import type { ExecutionState, ResultState, ToolCall } from "./ToolCall.ts"
import { maximumRuns } from "./ToolCall.ts"

/** Nearly every call has one run and one result: these lists are shared by all of them, a list of its own takes 200 bytes. */
const one: { readonly [State in ExecutionState | ResultState]: ReadonlyArray<State> } = {
  running: ["running"],
  ended: ["ended"],
  known: ["known"],
  consumed: ["consumed"]
}

const added = <A extends keyof typeof one>(items: ReadonlyArray<A>, item: A): ReadonlyArray<A> =>
  items.length === 0 ? one[item] as ReadonlyArray<A> : [...items, item]

const replaced = <A extends keyof typeof one>(items: ReadonlyArray<A>, index: number, item: A): ReadonlyArray<A> =>
  items.length === 1 ? one[item] as ReadonlyArray<A> : items.with(index, item)

const isBeyond = (items: ReadonlyArray<unknown>, index: number): boolean =>
  items.length >= maximumRuns && index >= maximumRuns

/**
 * What a signal makes of a call: the next state, or a named refusal.
 *
 * Total and pure: any order of any signals ends here, nothing throws. A host may run a call twice, answer an approval
 * twice or produce two results; these are facts and accepted. What is refused is what cannot be true: a second
 * decision, a second request while one is pending, an end without a start, a second end, a consumption without a result;
 * and what goes on about a call's runs and results after too many of them.
 */
export const transition = (call: ToolCall, signal: Signal): ToolCall | Refusal.Refusal => {
  switch (signal._tag) {
    case "Decided":
      return call.decided ? Refusal.make("already_decided") : { ...call, decided: true }
    case "ApprovalRequested":
      return call.approval === "pending" && call.approvalId === signal.approvalId
        ? Refusal.make("already_requested")
        : { ...call, approval: "pending", approvalId: signal.approvalId }
    case "ApprovalAnswered":
      return {
        ...call,
        approval: signal.approved ? "approved" : "denied",
        approvalId: signal.approvalId,
        answers: call.answers + 1
      }
    case "ApprovalAbandoned":
      if (call.approval === "abandoned") return Refusal.make("already_abandoned")
      // A call that was answered and then asked about again can be abandoned again.
      return call.approval === "approved" || call.approval === "denied"
        ? Refusal.make("not_pending")
        : { ...call, approval: "abandoned", approvalId: signal.approvalId }
    case "ExecutionStarted":
      if (isBeyond(call.executions, signal.execution)) return Refusal.make("too_many_executions")
      return signal.execution === call.executions.length
        ? { ...call, executions: added(call.executions, "running") }
        : Refusal.make("execution_out_of_order")
    case "PreliminaryReported":
    case "ExecutionEnded": {
      if (isBeyond(call.executions, signal.execution)) return Refusal.make("too_many_executions")
      const execution = call.executions[signal.execution]
      if (execution === undefined) return Refusal.make("unknown_execution")
      if (execution === "ended") return Refusal.make("execution_already_ended")
      return signal._tag === "PreliminaryReported"
        ? call
        : { ...call, executions: replaced(call.executions, signal.execution, "ended") }
    }
    case "ResultKnown":
      if (isBeyond(call.results, signal.result)) return Refusal.make("too_many_results")
      return signal.result === call.results.length
        ? { ...call, results: added(call.results, "known") }
        : Refusal.make("result_out_of_order")
    case "ResultConsumed": {
      if (isBeyond(call.results, signal.result)) return Refusal.make("too_many_results")
      const result = call.results[signal.result]
      if (result === undefined) return Refusal.make("unknown_result")
      return result === "consumed"
        ? Refusal.make("result_already_consumed")
        : { ...call, results: replaced(call.results, signal.result, "consumed") }
    }
  }
}
