/** Every kind of pairing fault, in the order of the contract. */
export const kinds = [
  "missing_id",
  "empty_id",
  "duplicate_id",
  "unanswered_call",
  "orphan_result",
  "duplicate_result",
  "renamed_tool",
  "wire_name_mismatch",
  "unknown_tool",
  "dropped_argument",
  "argument_parse_error",
  "unmatched_approval",
  "duplicate_approval",
  "contradictory_approval",
  "approval_mismatch",
  "approved_not_executed",
  "abandoned_approval",
  "duplicate_execution"
] as const

/** One kind of pairing fault. */
export type ViolationKind = typeof kinds[number]

/** Where a fault was found: in one response, in the history, among approvals and executions, or in a request body. */
export const scopes = ["response", "conversation", "turn", "wire"] as const

/** One place where a fault can be found. */
export type ViolationScope = typeof scopes[number]
