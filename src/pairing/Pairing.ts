import type { ViolationScope } from "../semconv/violation.ts"
import type { Message } from "./History.ts"
import { unansweredCalls } from "./Unanswered.ts"
import type { Violation } from "./Violation.ts"
import { inOrder } from "./Violation.ts"
import { Walk } from "./Walk.ts"

/** Where a call stands with its approval. */
export type ApprovalState = "not_required" | "pending" | "approved" | "denied" | "abandoned"

/** One call of a history, with what answers it. */
export interface PairedCall {
  readonly id: string | undefined
  readonly name: string
  readonly params: unknown
  readonly providerExecuted: boolean
  readonly caller: string | undefined
  /** The id, `id#2` for its second occurrence, `?1` when there is none. */
  readonly key: string
  readonly occurrence: number
  readonly idSource: "provider" | "missing"
  readonly message: number
  readonly part: number
  readonly source: object
  /** In the order of the history; more than one is a fault. */
  readonly results: ReadonlyArray<PairedResult>
  readonly approvals: ReadonlyArray<Approval>
  /** Of the latest approval that was asked for it. */
  readonly state: ApprovalState
}

/** One result of a history, with the call that it answers. */
export interface PairedResult {
  readonly id: string | undefined
  readonly call: PairedCall | undefined
  /** The key of the call; what the id would be as a key when there is no call. */
  readonly key: string
  readonly name: string | undefined
  readonly isFailure: boolean
  readonly result: unknown
  /** It stands in a message of role `tool`: the host takes no other as an answer to an approved call. */
  readonly inTool: boolean
  readonly message: number
  readonly part: number
  readonly source: object
}

/** One answer to an approval. */
export interface ApprovalAnswer {
  readonly approved: boolean
  readonly reason: string | undefined
  readonly message: number
  readonly part: number
  readonly source: object
}

/** One approval: who asked for which call, and every answer. */
export interface Approval {
  readonly approvalId: string
  /** The id that the request names; absent when nobody asked. */
  readonly callId: string | undefined
  readonly call: PairedCall | undefined
  /** Absent when there are answers to an approval that nobody asked for. */
  readonly requested: { readonly message: number; readonly part: number; readonly source: object } | undefined
  readonly answers: ReadonlyArray<ApprovalAnswer>
  readonly state: Exclude<ApprovalState, "not_required">
}

/** A history whose calls, results and approvals have found each other, and what is wrong with it. */
export interface Pairing {
  readonly calls: ReadonlyArray<PairedCall>
  readonly results: ReadonlyArray<PairedResult>
  readonly approvals: ReadonlyArray<Approval>
  /** How many calls so far have each id. */
  readonly occurrences: ReadonlyMap<string, number>
  /** How many parts so far have no id. */
  readonly missing: number
  /** Index of the last assistant message, or -1. */
  readonly lastAssistant: number
  /** Index of the last user message, or -1. */
  readonly lastUser: number
  /** Faults of pairing, in the order of the history; those of approvals are told by `approvalViolations`. */
  readonly violations: ReadonlyArray<Violation>
}

/** What `pair` may know about the world around a history. */
export interface PairOptions {
  /** The scope of the faults it finds: `conversation` unless said. */
  readonly scope?: ViolationScope
  /** True when two names mean one tool, such as a toolkit name and its wire name. */
  readonly sameTool?: (one: string, two: string) => boolean
  /**
   * Whether a human is asked before a call of this tool runs: of calls that share an id in one message, a request is
   * about the next one of such a tool. Unless given, it is about the next one of any.
   */
  readonly asksApproval?: (name: string) => boolean
  /** Calls may stand where this history does not show them: no result is an orphan. */
  readonly callsElsewhere?: boolean
  /** Results may stand where this history does not show them: no call is unanswered. */
  readonly resultsElsewhere?: boolean
  /** Keys of calls that wait for an approval which this history does not show. */
  readonly pending?: ReadonlySet<string>
}

/**
 * Lets the calls, results and approvals of a history find each other, by exact ids, in one pass.
 *
 * A result answers, among the calls of its id that stand before it and have no result, those of the latest assistant
 * message, in their order. Never fails: whatever does not fit is a violation.
 *
 * **Example** (A call and its result)
 *
 * ```ts
 * import { fromPrompt, pair } from "toolspan/pairing"
 *
 * const { calls, violations } = pair(fromPrompt([
 *   { role: "assistant", content: [{ type: "tool-call", id: "c1", name: "lookup", params: { key: "alpha" } }] },
 *   { role: "tool", content: [{ type: "tool-result", id: "c1", name: "lookup", isFailure: false, result: "v" }] }
 * ]))
 *
 * calls[0]?.results[0]?.result // => "v"
 * violations.length // => 0
 * ```
 */
export const pair = (messages: ReadonlyArray<Message>, options: PairOptions = {}): Pairing => {
  const walk = new Walk(messages, options)
  walk.run()
  unansweredCalls(walk, options)
  return {
    calls: walk.calls,
    results: walk.results,
    approvals: walk.approvals,
    occurrences: walk.occurrences,
    missing: walk.missing,
    lastAssistant: walk.lastAssistant,
    lastUser: walk.lastUser,
    violations: inOrder(walk.violations)
  }
}
