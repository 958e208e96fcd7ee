/** Which call a handler runs for: found by exact evidence only. */
import * as Tracer from "effect/Tracer"
import * as Fingerprint from "../lifecycle/Fingerprint.ts"
import type { Link, ViolationFacts } from "../lifecycle/SpanWriter.ts"
import { TrackedCall } from "../lifecycle/TrackedCall.ts"
import { sameEncoded } from "../pairing/Execution.ts"
import * as Key from "../pairing/Key.ts"
import { Settings } from "../settings/settings.ts"
import type { ToldAnswer } from "./approvals.ts"
import type { Decision } from "./Decision.ts"
import type { ExecutionDraft } from "./Execution.ts"
import { Execution } from "./Execution.ts"
import { candidatesFor } from "./History.ts"
import type { Observation } from "./Observation.ts"
import * as OtelContext from "./otelContext.ts"
import type { AnyFiber } from "./references.ts"
import * as References from "./references.ts"
import type { Tools } from "./shape.ts"
import { toolNamed } from "./shape.ts"
import * as ToolFacts from "./toolFacts.ts"
import type { Turn } from "./Turn.ts"

interface Handled {
  readonly tools: Tools
  readonly name: string
  readonly params: unknown
  readonly id: string | undefined
}

const decidedBy = (tracked: TrackedCall): ReadonlyArray<Link> =>
  tracked.decision === undefined ? [] : [{ type: "decided_by", to: tracked.decision }]

/** The violation of a call that ran; its key is the call's that ran, as the turn's history numbers it. */
const about = (
  kind: "duplicate_execution" | "approval_mismatch",
  tracked: TrackedCall,
  key: string,
  approvalId?: string
): ViolationFacts => {
  const { id, name } = tracked.call.identity
  return { kind, scope: "turn", id, key, name, approvalId }
}

interface DraftInTurn extends ExecutionDraft {
  /** The key that the call has in the history of the turn, or in its response. */
  readonly key: string
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null

/** The decision of the running turn that this is the handler of. */
const decisionOf = (turn: Turn, handled: Handled): { decision: Decision; ambiguous: boolean } | undefined => {
  const known = turn.decisions.filter((one) => one.hostId === handled.id && !one.tracked.call.identity.providerExecuted)
  const adopting = known.length > 0 ? undefined : turn.request?.adopting(handled.id, handled.name, handled.params)
  const named = known.filter((one) => one.tracked.call.identity.name === handled.name)
  const sharing = adopting !== undefined ? [adopting] : named.length > 0 ? named : known
  if (isObject(handled.params)) {
    const exact = sharing.filter((one) => one.params === handled.params)
    if (exact.length === 1) return { decision: exact[0]!, ambiguous: false }
  }
  const free = sharing.filter((one) => !one.taken)
  const decision = free[0] ?? sharing[0]
  // Which of them ran first cannot be told, so neither can which is left.
  if (free.length > 1) { for (const one of free) one.indistinct = true }
  return decision === undefined ? undefined : { decision, ambiguous: decision.indistinct }
}

/** The answer that let an earlier call run, when this is its handler. */
const answerOf = (turn: Turn, handled: Handled): ToldAnswer | undefined => {
  const open = turn.answers.filter((one) => one.action === "run" && !one.used && one.taken.id === handled.id)
  return open.find((one) => one.taken.params === handled.params) ?? open[0]
}

const approved = (turn: Turn, answer: ToldAnswer, handled: Handled): DraftInTurn => {
  answer.used = true
  const { approval, approved: approvedCall, taken } = answer
  const calls = turn.history.pairing.calls
  const sameCall = approvedCall === undefined || approvedCall === taken
  const ran = turn.history.known(taken, calls.indexOf(taken))
  const tracked = ran.tracked
  // The arguments that were asked about: remembered by this process, or those of the approved call in the history.
  const asked = ran.remembered ?
    undefined :
    turn.history.sharingId(handled.id ?? "").find((one) =>
      one !== tracked && one.approvals.some((known) => known.approvalId === approval.approvalId)
    )
  const changed = asked !== undefined && asked.fingerprint !== undefined &&
    asked.fingerprint !== Fingerprint.make(taken.params)
  const mismatch = !sameCall || changed ||
    (approvedCall !== undefined && !sameEncoded(approvedCall.params, handled.params))
  if (mismatch) turn.violations.push(about("approval_mismatch", tracked, taken.key, approval.approvalId))
  const links: Array<Link> = [...decidedBy(tracked)]
  if (sameCall) links.push({ type: "approved_by", to: answer.span })
  return {
    key: taken.key,
    tracked,
    hostId: handled.id,
    tool: toolNamed(handled.tools, handled.name),
    params: handled.params,
    decision: undefined,
    approval: approval.approvalId,
    links,
    ambiguous: ran.ambiguous
  }
}

const inTurn = (turn: Turn, handled: Handled): DraftInTurn => {
  const found = decisionOf(turn, handled)
  const answer = found === undefined ? answerOf(turn, handled) : undefined
  if (answer !== undefined) return approved(turn, answer, handled)
  const told = found === undefined ? turn.decideFromHandle(handled.name, handled.params, handled.id) : undefined
  const decision = found?.decision ?? told
  const tracked = decision?.tracked ??
    turn.history.unknown(handled.id, handled.name, false)
  const ambiguous = found?.ambiguous === true
  if (decision !== undefined) {
    decision.taken = true
    decision.end(tracked.call.approval, tracked.call.approvalId)
  }
  return {
    key: tracked.call.identity.key,
    tracked,
    hostId: handled.id,
    tool: toolNamed(handled.tools, handled.name),
    params: handled.params,
    decision,
    approval: undefined,
    links: ambiguous ? [] : decidedBy(tracked),
    ambiguous
  }
}

/** Numbers the manual executions that have no id. */
let withoutId = 0

const manual = (observation: Observation, fiber: AnyFiber, handled: Handled): ExecutionDraft => {
  const { id, name, params } = handled
  const conversation = fiber.getRef(References.CurrentConversation)
  const byIdentity = observation.identified(params)
  const limits = fiber.getRef(Settings)
  const now = Number(References.clock(fiber)() / 1_000_000n)
  const candidates = byIdentity !== undefined && (id === undefined || byIdentity.hostId === id)
    ? [byIdentity]
    : id === undefined || id === ""
    ? []
    : candidatesFor(observation.ledger.withId(id, now, limits), { conversation, name, params, approvals: [] })
  const tool = toolNamed(handled.tools, name)
  const known = candidates.length === 1 ? candidates[0] : undefined
  const tracked = known ?? new TrackedCall(
    {
      key: id === undefined || id === "" ? Key.ofMissing(++withoutId) : Key.ofId(id, 1),
      id: id === "" ? undefined : id,
      idSource: id === undefined || id === "" ? "missing" : "provider",
      occurrence: 1,
      name: tool?.name,
      requestedName: tool === undefined && name !== "" ? name : undefined,
      wireName: tool === undefined ? undefined : ToolFacts.ofTool(tool).wireName,
      providerExecuted: false
    },
    id,
    conversation,
    Fingerprint.make(params)
  )
  if (known === undefined && tool !== undefined && id !== undefined && id !== "" && candidates.length === 0) {
    observation.ledger.remember(tracked, now, limits)
  }
  observation.identify(params, tracked)
  return {
    tracked,
    hostId: id,
    tool,
    params,
    decision: undefined,
    approval: undefined,
    links: decidedBy(tracked),
    ambiguous: candidates.length > 1
  }
}

/** A started execution, and the tracer that its handler has. */
export interface Begun {
  readonly execution: Execution
  readonly tracer: Tracer.Tracer
}

/** Starts the execution of one `handle` call: in the running turn, or by itself under the current span. */
export const execution = (
  observation: Observation,
  fiber: AnyFiber,
  tools: Tools,
  name: string,
  params: unknown,
  id: string | undefined
): Begun => {
  const turn = References.currentTurn(fiber)
  const handled: Handled = { tools, name, params, id }
  if (turn === undefined || turn.ended || turn.span === undefined) {
    const tracer = turn?.appTracer ?? fiber.getRef(Tracer.Tracer)
    const place = References.place(fiber, tracer, References.currentSpan(fiber))
    const started = new Execution(
      observation,
      place,
      References.clock(fiber),
      manual(observation, fiber, handled)
    )
    return { execution: started, tracer: OtelContext.tracer(tracer) }
  }
  turn.tools ??= tools
  const draft = inTurn(turn, handled)
  if (draft.tracked.executions.length > 0) {
    turn.violations.push(about("duplicate_execution", draft.tracked, draft.key, draft.approval))
  }
  const started = new Execution(observation, turn.place, turn.now, draft)
  turn.executions.push(started)
  return { execution: started, tracer: OtelContext.tracer(turn.appTracer) }
}
