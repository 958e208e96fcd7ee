/** What can happen to a tool call, as data. Capture says it; `transition` decides what it means. */
import type { Outcome, ResultOrigin } from "./ToolCall.ts"

/** One thing that happened to one call. */
export type Signal =
  /** The model asked for the tool. */
  | { readonly _tag: "Decided" }
  /** A human is asked whether the call may run. */
  | { readonly _tag: "ApprovalRequested"; readonly approvalId: string }
  /** The human answered. */
  | { readonly _tag: "ApprovalAnswered"; readonly approvalId: string; readonly approved: boolean }
  /** The conversation went on without an answer. */
  | { readonly _tag: "ApprovalAbandoned"; readonly approvalId: string }
  /** The `execution`-th run (from 0) of the handler began. */
  | { readonly _tag: "ExecutionStarted"; readonly execution: number }
  /** The handler reported a preliminary result. */
  | { readonly _tag: "PreliminaryReported"; readonly execution: number }
  /** That run is over. */
  | { readonly _tag: "ExecutionEnded"; readonly execution: number; readonly outcome: Outcome }
  /** The `result`-th final result part (from 0) of the call exists. */
  | { readonly _tag: "ResultKnown"; readonly result: number; readonly outcome: Outcome; readonly origin: ResultOrigin }
  /** A request carried that result to the provider. */
  | { readonly _tag: "ResultConsumed"; readonly result: number }

/** The names of all signals. */
export type SignalTag = Signal["_tag"]
