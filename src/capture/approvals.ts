/** The approvals of a turn: asked, answered, abandoned; each is told once, where it happened. */
import type * as Tracer from "effect/Tracer"
import * as SpanReference from "../lifecycle/SpanReference.ts"
import type { Link } from "../lifecycle/SpanWriter.ts"
import type { TrackedApproval, TrackedCall, TrackedResult } from "../lifecycle/TrackedCall.ts"
import type { Resolution } from "../pairing/Approval.ts"
import { approvalViolations, resolutions } from "../pairing/Approval.ts"
import type { Approval, PairedCall, Pairing } from "../pairing/Pairing.ts"
import * as Carrier from "../lifecycle/carrier.ts"
import type { Decision } from "./Decision.ts"
import type { Way } from "./results.ts"
import type { ResponsePart } from "./shape.ts"
import { toolNamed } from "./shape.ts"
import * as ToolFacts from "./toolFacts.ts"
import type { Turn } from "./Turn.ts"

/** An answer that this turn had to act on. */
export interface ToldAnswer {
  readonly tracked: TrackedCall
  /** The call that was approved. */
  readonly approved: PairedCall | undefined
  /** The call that the host takes: the last one with the id, which need not be the one that was approved. */
  readonly taken: PairedCall
  readonly approval: Approval
  readonly action: "run" | "deny"
  readonly span: Tracer.AnySpan
  readonly ambiguous: boolean
  /** An execution has come of it. */
  used: boolean
  /** The denial that the host made of it, and where it has gone. */
  result: TrackedResult | undefined
  readonly ways: Set<Way>
}

const seconds = (from: bigint | undefined, to: bigint): number | undefined =>
  from === undefined || to < from ? undefined : Number(to - from) / 1e9

const askedLink = (known: TrackedApproval): Link | undefined =>
  known.asked === undefined ? undefined : { type: "answers", to: known.asked }

const answered = (turn: Turn, resolution: Resolution, call: PairedCall, nth: number): void => {
  const { action, answer, approval } = resolution
  const approved = approval.call ?? call
  const { ambiguous, tracked } = turn.history.known(approved, turn.history.pairing.calls.indexOf(approved))
  const known = tracked.approval(approval.approvalId)
  const told = known.answers[nth]
  const state = answer.approved ? "approved" : "denied"
  let span = told?.span
  if (span === undefined) {
    turn.observation.say(tracked, {
      _tag: "ApprovalAnswered",
      approvalId: approval.approvalId,
      approved: answer.approved
    })
    span = turn.observation.writer.approval(turn.place, tracked, {
      event: "resolved",
      state,
      approvalId: approval.approvalId,
      waitSeconds: turn.timed ? seconds(known.askedAt, turn.startTime) : undefined,
      link: askedLink(known),
      ambiguous: ambiguous && known.asked === undefined,
      reason: answer.reason
    }, turn.startTime)
    tracked.answered(known, answer.approved, span)
  }
  if (action === "none") return
  turn.answers.push({
    tracked,
    approved: approval.call,
    taken: call,
    approval,
    action,
    span,
    ambiguous,
    used: false,
    result: undefined,
    ways: new Set()
  })
}

const abandoned = (turn: Turn, approval: Approval, call: PairedCall): void => {
  const { ambiguous, tracked } = turn.history.known(call, turn.history.pairing.calls.indexOf(call))
  const known = tracked.approval(approval.approvalId)
  if (!turn.observation.say(tracked, { _tag: "ApprovalAbandoned", approvalId: approval.approvalId })) return
  turn.observation.writer.approval(turn.place, tracked, {
    event: "abandoned",
    state: "abandoned",
    approvalId: approval.approvalId,
    waitSeconds: undefined,
    link: askedLink(known),
    ambiguous: ambiguous && known.asked === undefined,
    reason: undefined
  }, turn.startTime)
}

/** Tells what the turn's history says of approvals: new answers, and those that the conversation left behind. */
export const tell = (turn: Turn, pairing: Pairing): void => {
  if (pairing.approvals.length === 0) return
  for (const violation of approvalViolations(pairing, { once: true })) turn.violations.push(violation)
  for (const approval of pairing.approvals) {
    if (
      approval.state === "abandoned" && approval.call !== undefined &&
      approval.requested?.message === pairing.lastAssistant
    ) abandoned(turn, approval, approval.call)
  }
  const nth = new Map<string, number>()
  for (const resolution of resolutions(pairing)) {
    const approvalId = resolution.approval.approvalId
    const index = nth.get(approvalId) ?? 0
    nth.set(approvalId, index + 1)
    // With a result in the history the approval is settled: it was told when it was answered.
    if (resolution.call === undefined || resolution.action === "none") continue
    answered(turn, resolution, resolution.call, index)
  }
}

/** The calls of this id that a human can be asked about: those whose tool wants it, else those that the provider runs. */
const askable = (turn: Turn, id: string | undefined): ReadonlyArray<Decision> => {
  const sharing = turn.decisions.filter((decision) => decision.hostId === id)
  if (sharing.length < 2) return sharing
  const wanting = sharing.filter(({ tracked: { call: { identity } } }) => {
    const tool = identity.name === undefined ? undefined : toolNamed(turn.tools, identity.name)
    return !identity.providerExecuted && tool !== undefined && ToolFacts.wantsApproval(tool)
  })
  return wanting.length > 0 ? wanting : sharing
}

/** Tells that a human is asked: the request is a part of the response. */
export const asked = (turn: Turn, part: ResponsePart): void => {
  const approvalId = part.approvalId ?? ""
  const sharing = askable(turn, part.toolCallId)
  const decision = sharing.find((one) => !one.taken) ?? sharing[0]
  if (decision === undefined) return
  decision.taken = true
  const tracked = decision.tracked
  if (!turn.observation.say(tracked, { _tag: "ApprovalRequested", approvalId })) return
  decision.end("pending", approvalId)
  const ambiguous = sharing.length > 1
  const time = turn.now()
  const known = tracked.approval(approvalId)
  // Where the app switched timing off there is no time to wait from.
  known.askedAt = turn.timed ? time : undefined
  const span = turn.observation.writer.approval(turn.place, tracked, {
    event: "requested",
    state: "pending",
    approvalId,
    waitSeconds: undefined,
    link: ambiguous ? undefined : { type: "decided_by", to: decision.span },
    ambiguous,
    reason: undefined
  }, time)
  known.asked = SpanReference.of(span)
  if (decision.carrier !== undefined) {
    decision.carrier.asked = Carrier.write(span)
    if (turn.timed) decision.carrier.askedAt = Number(time / 1_000_000n)
  }
}
