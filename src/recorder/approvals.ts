/** The approvals of a turn: asked, answered, abandoned; each is an instant where it happened. */
import * as SpanReference from "../lifecycle/SpanReference.ts"
import type { Link, Place, ViolationFacts } from "../lifecycle/SpanWriter.ts"
import type { TrackedApproval, TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as Loose from "../pairing/Loose.ts"
import type { ViolationKind } from "../semconv/violation.ts"
import type { Found } from "./Found.ts"
import type { AnswerInput, AskedInput } from "./Input.ts"
import type * as Refusal from "./Refusal.ts"
import type { Session } from "./Session.ts"

/** Where approvals are written, and where their faults go. */
export interface Told {
  readonly session: Session
  readonly place: Place
  readonly fault: (violation: ViolationFacts) => void
}

/** A fault of a call, of scope `turn`. */
export const fault = (kind: ViolationKind, tracked: TrackedCall, approvalId?: string): ViolationFacts => {
  const { id, key, name } = tracked.call.identity
  return { kind, scope: "turn", id, name, key, approvalId }
}

/** Tells that somebody is asked whether the call may run. */
export const asked = (told: Told, { ambiguous, tracked }: Found, input: AskedInput): Refusal.Refusal | undefined => {
  const { place, session } = told
  const approvalId = Loose.id(input.approvalId) ?? tracked.call.identity.key
  const refused = session.say(tracked, { _tag: "ApprovalRequested", approvalId })
  if (refused !== undefined) return refused
  const time = session.toldTime(input.time)
  const known = tracked.approval(approvalId)
  known.askedAt = time
  const span = session.writer.approval(place, tracked, {
    event: "requested",
    state: "pending",
    approvalId,
    waitSeconds: undefined,
    link: ambiguous || tracked.decision === undefined ? undefined : { type: "decided_by", to: tracked.decision },
    ambiguous,
    reason: undefined
  }, time)
  known.asked = SpanReference.of(span)
  session.remember(tracked)
  return undefined
}

const answersTo = (known: TrackedApproval): Link | undefined =>
  known.asked === undefined ? undefined : { type: "answers", to: known.asked }

const abandoned = (told: Told, tracked: TrackedCall, known: TrackedApproval): Refusal.Refusal | undefined => {
  const { place, session } = told
  const { approvalId } = known
  const refused = session.say(tracked, { _tag: "ApprovalAbandoned", approvalId })
  if (refused !== undefined) return refused
  told.fault(fault("abandoned_approval", tracked, approvalId))
  session.writer.approval(place, tracked, {
    event: "abandoned",
    state: "abandoned",
    approvalId,
    waitSeconds: undefined,
    link: answersTo(known),
    ambiguous: false,
    reason: undefined
  }, session.now())
  session.settle(tracked)
  return undefined
}

/** Tells that the conversation left the call's open question behind. */
export const leftBehind = (told: Told, tracked: TrackedCall): void => {
  const { approvalId } = tracked.call
  if (approvalId !== undefined) abandoned(told, tracked, tracked.approval(approvalId))
}

const answers: ReadonlySet<AnswerInput["answer"]> = new Set(["approved", "denied", "abandoned"])

/** Tells an answer: a second one is a fact and a fault, one that nobody asked for is refused and a fault. */
export const answered = (
  told: Told,
  { ambiguous, tracked }: Found,
  input: AnswerInput
): Refusal.Refusal | undefined => {
  const { place, session } = told
  if (!answers.has(input.answer)) return session.refuse("invalid_input")
  const approvalId = Loose.id(input.approvalId) ?? tracked.call.approvalId
  const known = tracked.approvals.find((one) => one.approvalId === approvalId)
  if (known === undefined) {
    told.fault(fault("unmatched_approval", tracked, approvalId))
    return session.refuse("unknown_approval")
  }
  if (input.answer === "abandoned") return abandoned(told, tracked, known)
  const approved = input.answer === "approved"
  const first = known.answers[0]
  if (first !== undefined) {
    const kind = first.approved === approved ? "duplicate_approval" : "contradictory_approval"
    told.fault(fault(kind, tracked, approvalId))
  }
  const refused = session.say(tracked, { _tag: "ApprovalAnswered", approvalId: known.approvalId, approved })
  if (refused !== undefined) return refused
  const time = session.now()
  const span = session.writer.approval(place, tracked, {
    event: "resolved",
    state: approved ? "approved" : "denied",
    approvalId: known.approvalId,
    waitSeconds: known.askedAt === undefined || time < known.askedAt ? undefined : Number(time - known.askedAt) / 1e9,
    link: answersTo(known),
    ambiguous: ambiguous && known.asked === undefined,
    reason: input.reason
  }, time)
  tracked.answered(known, approved, span)
  return undefined
}
