/** One tool call as data: what it is, and how far it has come. */

/** Whether a human had to agree, and did. */
export type ApprovalState = "not_required" | "pending" | "approved" | "denied" | "abandoned"

/** Where the call's id comes from: the provider, the host that made one up, or nowhere. */
export type IdSource = "provider" | "synthesized" | "missing"

/** How an execution or a result ended. */
export type Outcome =
  | "success"
  | "failure"
  | "invalid_parameters"
  | "invalid_result"
  | "unknown_tool"
  | "denied"
  | "interrupted"
  | "not_started"

/** Who made the result of a call. */
export type ResultOrigin = "handler" | "provider" | "denial" | "prompt" | "synthesized"

/** What does not change about a call. */
export interface Identity {
  readonly key: string
  /** As the provider gave it, verbatim; `undefined` when it gave none. */
  readonly id: string | undefined
  readonly idSource: IdSource
  /** From 1; counted over the prompt and the response. */
  readonly occurrence: number
  /** The name in the toolkit; `undefined` for a name that is not in it. */
  readonly name: string | undefined
  /** The name that the model invented, when `name` is `undefined`. */
  readonly requestedName: string | undefined
  /** The name on the wire, where it is another one. */
  readonly wireName: string | undefined
  readonly providerExecuted: boolean
}

/** One run of a handler: `running` until it has ended once. */
export type ExecutionState = "running" | "ended"

/** One result part: `known` until a request carries it. */
export type ResultState = "known" | "consumed"

/** How many executions and how many results of one call are followed; a replay without end must not fill the memory. */
export const maximumRuns = 32

/** The state of one call. Executions and results are numbered from 0 in the order they began. */
export interface ToolCall {
  readonly identity: Identity
  readonly decided: boolean
  readonly approval: ApprovalState
  readonly approvalId: string | undefined
  readonly answers: number
  readonly executions: ReadonlyArray<ExecutionState>
  readonly results: ReadonlyArray<ResultState>
}

/** Shared by all calls that have none. */
const none: readonly [] = []

/** A call that is known by its identity only: decided elsewhere, or found in a history. */
export const make = (identity: Identity): ToolCall => ({
  identity,
  decided: false,
  approval: "not_required",
  approvalId: undefined,
  answers: 0,
  executions: none,
  results: none
})

/**
 * Whether something is still to come for the call: an answer, an execution, or a request that carries its result.
 *
 * A provider-executed call waits for nothing once it has a result: its result stands in the assistant's own message.
 */
export const isOpen = (call: ToolCall): boolean => {
  if (call.approval === "pending" || call.executions.includes("running")) return true
  if (call.results.length === 0) return call.approval !== "abandoned"
  return !call.identity.providerExecuted && call.results.includes("known")
}
