/** The final results of a turn's calls: each is told once, where it becomes known. */
import type { Failure, Link, Place } from "../lifecycle/SpanWriter.ts"
import type { ApprovalState, Outcome, ResultOrigin } from "../lifecycle/ToolCall.ts"
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import type { PairedResult } from "../pairing/Pairing.ts"
import * as MissingResult from "../pairing/MissingResult.ts"
import type { Found } from "./Found.ts"
import type { History } from "./History.ts"
import type { ResultInput } from "./Input.ts"
import type * as Refusal from "./Refusal.ts"
import type { Session } from "./Session.ts"

interface Draft {
  readonly outcome: Outcome
  readonly origin: ResultOrigin
  readonly failure: Failure | undefined
  readonly to: Link["to"] | undefined
  readonly ambiguous: boolean
  readonly value: unknown
}

const write = (session: Session, place: Place, tracked: TrackedCall, draft: Draft): Refusal.Refusal | undefined => {
  const { outcome, origin } = draft
  const refused = session.say(tracked, { _tag: "ResultKnown", result: tracked.results.length, outcome, origin })
  if (refused !== undefined) return refused
  const span = session.writer.result(place, tracked, {
    outcome,
    origin,
    approval: tracked.call.approval,
    approvalId: tracked.call.approvalId,
    failure: draft.failure,
    link: draft.ambiguous || draft.to === undefined ? undefined : { type: "result_of", to: draft.to },
    ambiguous: draft.ambiguous,
    result: draft.value
  }, session.now())
  tracked.resulted(span)
  session.settle(tracked)
  return undefined
}

const denial = (tracked: TrackedCall): Link["to"] | undefined =>
  tracked.approvals.findLast((one) => one.approvalId === tracked.call.approvalId)?.answers.findLast((one) =>
    !one.approved
  )?.span

const originOf = (tracked: TrackedCall, approval: ApprovalState): ResultOrigin =>
  tracked.call.executions.length > 0
    ? "handler"
    : tracked.call.identity.providerExecuted
    ? "provider"
    : approval === "denied"
    ? "denial"
    : "synthesized"

const words: Readonly<Record<Outcome, true>> = {
  success: true,
  failure: true,
  invalid_parameters: true,
  invalid_result: true,
  unknown_tool: true,
  denied: true,
  interrupted: true,
  not_started: true
}

/** Whether a word is an outcome: it becomes a label of metrics, whose values are a closed set. */
export const isOutcome = (word: unknown): word is Outcome => typeof word === "string" && Object.hasOwn(words, word)

const outcomes: Readonly<Record<ResultOrigin, Outcome>> = {
  handler: "success",
  provider: "success",
  prompt: "success",
  denial: "denied",
  synthesized: "not_started"
}

/** Tells the result of a call; what the framework leaves out follows from the call's runs and approvals. */
export const tell = (
  session: Session,
  place: Place,
  { ambiguous, tracked }: Found,
  input: ResultInput
): Refusal.Refusal | undefined => {
  if (tracked.call.executions.includes("running")) return session.refuse("execution_running")
  const origin = input.origin ?? originOf(tracked, tracked.call.approval)
  if (!Object.hasOwn(outcomes, origin) || !isOutcome(input.outcome ?? "success")) return session.refuse("invalid_input")
  const end = origin === "handler" ? session.ends.get(tracked) : undefined
  const refused = write(session, place, tracked, {
    outcome: input.outcome ?? end?.outcome ?? outcomes[origin],
    origin,
    failure: end !== undefined && end.outcome === (input.outcome ?? end.outcome) ? end.failure : undefined,
    to: tracked.executions.at(-1) ?? (origin === "denial" ? denial(tracked) : undefined) ?? tracked.decision,
    ambiguous: ambiguous && tracked.executions.length === 0,
    value: input.value ?? end?.result
  })
  if (refused === undefined) session.recognise(input.source, tracked)
  return refused
}

/**
 * The call whose result a request carries for the first time; one that the app itself, or another process, put into the
 * history is told first. `undefined` for what no request consumes: a second result of its call.
 */
export const carried = (
  session: Session,
  place: Place,
  history: History,
  result: PairedResult
): TrackedCall | undefined => {
  const own = session.calls.get(result.source)
  if (own !== undefined && (own.hostId ?? "") === (result.id ?? "")) return own
  const { call } = result
  if (call !== undefined && call.results.indexOf(result) > 0) return undefined
  const known = call === undefined ? undefined : history.known(call)
  if (known !== undefined && known.tracked.call.results.length > 0) return known.tracked
  const tracked = known?.tracked ?? history.orphan(result)
  write(session, place, tracked, {
    outcome: result.isFailure ? "failure" : "success",
    origin: MissingResult.is(result.result) ? "synthesized" : "prompt",
    failure: undefined,
    to: tracked.executions.at(-1) ?? tracked.decision,
    ambiguous: known?.ambiguous === true,
    value: result.result
  })
  return tracked
}
