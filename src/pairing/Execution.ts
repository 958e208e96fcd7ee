import type { Approval, PairedCall } from "./Pairing.ts"
import type { Violation } from "./Violation.ts"
import * as Fault from "./Violation.ts"

/** A call by what is needed to name it; a `PairedCall` is one. */
export type ExecutedCall = Pick<PairedCall, "id" | "key" | "name" | "message" | "part">

/** One run of a handler. */
export interface Execution {
  readonly call: ExecutedCall
  /** The approval that let it run. */
  readonly approval?: Pick<Approval, "approvalId" | "call">
  /** The arguments that ran, in encoded form; absent when only the decoded form is known. */
  readonly params?: unknown
  /** The arguments that were approved, in encoded form; those of the approved call unless given. */
  readonly approvedParams?: unknown
}

/**
 * Whether two encoded values are equal as JSON; the order of keys does not matter.
 *
 * Walks with a list of its own instead of recursion, so depth and cycles do no harm.
 */
export const sameEncoded = (one: unknown, two: unknown): boolean => {
  const pairs: Array<unknown> = [one, two]
  const seen = new Set<object>()
  while (pairs.length > 0) {
    const right = pairs.pop()
    const left = pairs.pop()
    if (Object.is(left, right) || left === right) continue
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
    if (seen.has(left)) continue
    seen.add(left)
    if (Array.isArray(left) !== Array.isArray(right)) return false
    const keys = presentKeys(left)
    if (keys.length !== presentKeys(right).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false
      pairs.push((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key])
    }
  }
  return true
}

// A key whose value is undefined is not there once the value is JSON.
const presentKeys = (value: object): ReadonlyArray<string> =>
  Object.keys(value).filter((key) => (value as Record<string, unknown>)[key] !== undefined)

const isMismatch = (execution: Execution): boolean => {
  const approved = execution.approval?.call
  if (approved === undefined) return false
  if (approved.key !== execution.call.key) return true
  if (execution.params === undefined) return false
  return !sameEncoded(execution.approvedParams ?? approved.params, execution.params)
}

/** What happened around the runs of one turn. */
export interface ExecutionContext {
  /** Keys of calls that ran before this turn. */
  readonly ran?: ReadonlySet<string>
  /** Approvals whose approving answer this turn had to act on. */
  readonly approved?: ReadonlyArray<Approval>
}

/**
 * The faults of the runs of one turn, all of scope `turn`: a call that ran again, a run that is not what was approved,
 * and an approved call that never ran.
 */
export const executionViolations = (
  executions: ReadonlyArray<Execution>,
  context: ExecutionContext = {}
): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  const ran = new Set<string>(context.ran)
  const used = new Set<string>()
  for (const execution of executions) {
    const { approval, call } = execution
    const about = { id: call.id, name: call.name, key: call.key, approvalId: approval?.approvalId }
    if (isMismatch(execution)) violations.push(Fault.make("approval_mismatch", "turn", about, call))
    if (ran.has(call.key)) violations.push(Fault.make("duplicate_execution", "turn", about, call))
    ran.add(call.key)
    if (approval !== undefined) used.add(approval.approvalId)
  }
  for (const approval of context.approved ?? []) {
    const { call } = approval
    if (call === undefined || used.has(approval.approvalId) || ran.has(call.key)) continue
    const about = { id: call.id, name: call.name, key: call.key, approvalId: approval.approvalId }
    violations.push(Fault.make("approved_not_executed", "turn", about, call))
  }
  return violations
}
