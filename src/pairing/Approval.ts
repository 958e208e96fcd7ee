import type { Approval, ApprovalAnswer, PairedCall, PairedResult, Pairing } from "./Pairing.ts"
import type { Position, Violation } from "./Violation.ts"
import * as Fault from "./Violation.ts"

const isBefore = (one: Position, two: Position): boolean =>
  one.message < two.message || (one.message === two.message && one.part < two.part)

const approves = (answer: ApprovalAnswer): boolean => answer.approved

const subject = (approval: Approval): Fault.Subject => ({
  id: approval.call?.id ?? approval.callId,
  name: approval.call?.name,
  key: approval.call?.key,
  approvalId: approval.approvalId
})

const answerFaults = (approval: Approval, tell: Array<Violation>): void => {
  const first = approval.answers[0]
  if (first === undefined) return
  if (approval.requested === undefined) {
    for (const answer of approval.answers) {
      tell.push(Fault.make("unmatched_approval", "turn", subject(approval), answer))
    }
    return
  }
  for (let index = 1; index < approval.answers.length; index++) {
    const answer = approval.answers[index]!
    const kind = answer.approved === first.approved ? "duplicate_approval" : "contradictory_approval"
    tell.push(Fault.make(kind, "turn", subject(approval), answer))
  }
}

const firstResults = (pairing: Pairing): ReadonlyMap<string | undefined, PairedResult> => {
  const first = new Map<string | undefined, PairedResult>()
  for (const result of pairing.results) if (result.inTool && !first.has(result.id)) first.set(result.id, result)
  return first
}

/** How to read the approvals of a history. */
export interface ApprovalOptions {
  /**
   * True to tell an abandoned approval only while its request stands in the last assistant message, so that the turns
   * of one conversation tell it once.
   */
  readonly once?: boolean
}

/**
 * The faults of a history's approvals, all of scope `turn`: answers that nobody asked for, second answers, approvals
 * that the conversation left behind, and approved calls that the host never runs because an older result has their id.
 *
 * Wants the history as the program gave it: the host strips settled approvals from what the provider gets.
 *
 * **Example** (An answer to an approval that nobody asked for)
 *
 * ```ts
 * import { approvalViolations, fromPrompt, pair } from "toolspan/pairing"
 *
 * const history = fromPrompt([
 *   { role: "user", content: "go" },
 *   { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ap_old", approved: true }] }
 * ])
 *
 * approvalViolations(pair(history)).map((one) => [one.kind, one.approvalId]) // => [["unmatched_approval", "ap_old"]]
 * ```
 */
export const approvalViolations = (pairing: Pairing, options: ApprovalOptions = {}): ReadonlyArray<Violation> => {
  if (pairing.approvals.length === 0) return []
  const violations: Array<Violation> = []
  let results: ReadonlyMap<string | undefined, PairedResult> | undefined
  for (const approval of pairing.approvals) {
    answerFaults(approval, violations)
    const { call, requested } = approval
    if (call === undefined || requested === undefined) continue
    if (approval.state === "abandoned" && (options.once !== true || requested.message === pairing.lastAssistant)) {
      violations.push(Fault.make("abandoned_approval", "turn", subject(approval), requested))
    }
    const approving = approval.answers.find(approves)
    if (approving === undefined) continue
    const older = (results ??= firstResults(pairing)).get(call.id)
    if (older === undefined || !isBefore(older, approving)) continue
    if (call.results.some((result) => isBefore(approving, result))) continue
    violations.push(Fault.make("approved_not_executed", "turn", subject(approval), approving))
  }
  return Fault.inOrder(violations)
}

/** What the host does about one answer when the next turn begins. */
export interface Resolution {
  readonly approval: Approval
  readonly answer: ApprovalAnswer
  /** `none` when any result of the history has the call's id already, or when the request is unknown. */
  readonly action: "run" | "deny" | "none"
  /** The call that the host takes: the last one with the id, which need not be the one that was approved. */
  readonly call: PairedCall | undefined
}

/**
 * What the host does about every answer of a history, in the order of the answers.
 *
 * It looks requests up by approval id and calls by call id, the last of each wins, and it acts once per answer: two
 * approving answers run a call twice. `call` differs from `approval.call` where that picks the wrong occurrence.
 */
export const resolutions = (pairing: Pairing): ReadonlyArray<Resolution> => {
  const requests = new Map<string, Approval>()
  const answers: Array<{ readonly approval: Approval; readonly answer: ApprovalAnswer }> = []
  for (const approval of pairing.approvals) {
    if (approval.requested !== undefined) requests.set(approval.approvalId, approval)
    for (const answer of approval.answers) answers.push({ approval, answer })
  }
  if (answers.length === 0) return []
  answers.sort((one, two) => isBefore(one.answer, two.answer) ? -1 : 1)
  const calls = new Map<string | undefined, PairedCall>()
  for (const call of pairing.calls) calls.set(call.id, call)
  const results = firstResults(pairing)
  return answers.map(({ answer, approval }): Resolution => {
    const callId = requests.get(approval.approvalId)?.callId
    if (callId === undefined) return { approval, answer, action: "none", call: undefined }
    const action = results.has(callId) ? "none" : answer.approved ? "run" : "deny"
    return { approval, answer, action, call: calls.get(callId) }
  })
}
