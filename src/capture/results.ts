/** The final results of a turn's calls: each result part that the host makes is told once. */
import type { Failure, Link } from "../lifecycle/SpanWriter.ts"
import type { Outcome, ResultOrigin } from "../lifecycle/ToolCall.ts"
import type { TrackedCall, TrackedResult } from "../lifecycle/TrackedCall.ts"
import type { Decision } from "./Decision.ts"
import type { Execution } from "./Execution.ts"
import type { ResponsePart } from "./shape.ts"
import type { Turn } from "./Turn.ts"

/** A result goes out to the app as a part, and on to the provider in a prompt. */
export type Way = "app" | "provider"

/** What is known of a result when it is told. */
export interface ResultDraft {
  readonly outcome: Outcome
  readonly origin: ResultOrigin
  readonly failure?: Failure | undefined
  readonly link: Link | undefined
  readonly ambiguous: boolean
  readonly value: unknown
  readonly approval?: { readonly state: "approved" | "denied"; readonly approvalId: string } | undefined
}

/** Writes a result of a call. */
export const write = (turn: Turn, tracked: TrackedCall, draft: ResultDraft, time: bigint): TrackedResult => {
  const index = tracked.results.length
  turn.observation.say(tracked, { _tag: "ResultKnown", result: index, outcome: draft.outcome, origin: draft.origin })
  const span = turn.observation.writer.result(turn.place, tracked, {
    outcome: draft.outcome,
    origin: draft.origin,
    approval: draft.approval?.state ?? tracked.call.approval,
    approvalId: draft.approval?.approvalId ?? tracked.call.approvalId,
    failure: draft.failure,
    link: draft.ambiguous ? undefined : draft.link,
    ambiguous: draft.ambiguous,
    result: draft.value
  }, time)
  return tracked.resulted(span)
}

const isMarked = (value: unknown, type: string): boolean =>
  typeof value === "object" && value !== null && (value as { type?: unknown }).type === type

/** The value of a denial, which the host makes without a handler. */
export const isDenial = (value: unknown): boolean => isMarked(value, "execution-denied")

/** Tells the result of an execution that ended with one; `undefined` when it did not. */
export const ofExecution = (turn: Turn, execution: Execution): TrackedResult | undefined => {
  if (execution.result !== undefined || execution.final === undefined) return execution.result
  execution.result = write(turn, execution.tracked, {
    outcome: execution.outcome ?? "success",
    origin: "handler",
    failure: execution.failure,
    link: { type: "result_of", to: execution.span },
    ambiguous: false,
    value: execution.final.encodedResult,
    approval: execution.approval === undefined ? undefined : { state: "approved", approvalId: execution.approval }
  }, execution.endTime ?? turn.now())
  return execution.result
}

/** Tells the denial that the host made of an answer. */
export const ofDenial = (
  turn: Turn,
  id: string | undefined,
  value: unknown,
  way: Way
): TrackedResult | undefined => {
  const answer = turn.answers.find((one) => one.action === "deny" && !one.ways.has(way) && one.taken.id === id)
  if (answer === undefined) return undefined
  answer.ways.add(way)
  return answer.result ??= write(turn, answer.tracked, {
    outcome: "denied",
    origin: "denial",
    link: { type: "result_of", to: answer.span },
    ambiguous: false,
    value,
    approval: { state: "denied", approvalId: answer.approval.approvalId }
  }, turn.now())
}

/** The execution of this turn whose result the part is; each goes once each way. */
export const executionOf = (
  turn: Turn,
  id: string | undefined,
  value: unknown,
  way: Way
): Execution | undefined => {
  let found: Execution | undefined
  for (const execution of turn.executions) {
    if (execution.final === undefined || execution.ways.has(way) || execution.hostId !== id) continue
    if (found === undefined || execution.final.encodedResult === value) found = execution
    if (execution.final.encodedResult === value) break
  }
  found?.ways.add(way)
  return found
}

/** The calls of this id that are the provider's or the host's to run; all of them where none is. */
const ranBy = (who: "provider" | "host", turn: Turn, id: string | undefined): ReadonlyArray<Decision> => {
  const sharing = turn.decisions.filter((decision) => decision.hostId === id)
  const own = sharing.filter((one) => one.tracked.call.identity.providerExecuted === (who === "provider"))
  return own.length > 0 ? own : sharing
}

const ofProvider = (turn: Turn, part: ResponsePart, value: unknown): TrackedResult => {
  const sharing = ranBy("provider", turn, part.id)
  const decision = sharing.find((one) => one.tracked.results.length === 0) ?? sharing[0]
  const calls = turn.history.pairing.calls
  const earlier = decision === undefined ? calls.findLastIndex((call) => call.id === part.id) : -1
  const known = earlier < 0 ? undefined : turn.history.known(calls[earlier]!, earlier)
  const tracked = decision?.tracked ?? known?.tracked ?? turn.history.unknown(part.id, part.name ?? "", true)
  return write(turn, tracked, {
    outcome: part.isFailure === true ? "failure" : "success",
    origin: "provider",
    link: tracked.decision === undefined ? undefined : { type: "result_of", to: tracked.decision },
    ambiguous: sharing.length > 1 || known?.ambiguous === true,
    value
  }, turn.now())
}

/** The host answers a call that it did not run to its end, because the response was not complete. */
const synthesized = (turn: Turn, part: ResponsePart, value: unknown): TrackedResult | undefined => {
  const sharing = ranBy("host", turn, part.id).filter((one) => one.tracked.results.length === 0)
  const decision = sharing[0]
  if (decision === undefined) return undefined
  const execution = turn.executions.find((one) => one.tracked === decision.tracked)
  // A streamed turn makes one result for all calls of an id: it could mean each of them.
  const ambiguous = turn.mode === "stream" && sharing.length > 1
  const to = execution?.span ?? decision.span
  return write(turn, decision.tracked, {
    outcome: execution === undefined ? "not_started" : "interrupted",
    origin: "synthesized",
    link: { type: "result_of", to },
    ambiguous,
    value
  }, turn.now())
}

/** Tells the result that a part on its way to the app carries. */
export const tell = (turn: Turn, part: ResponsePart): void => {
  const value = part.encodedResult === undefined ? part.result : part.encodedResult
  const result = part.providerExecuted === true ? ofProvider(turn, part, value) : ofHost(turn, part, value)
  if (result === undefined) return
  part.metadata = { ...part.metadata }
  turn.observation.identifyResult(part.metadata, result)
}

const ofHost = (turn: Turn, part: ResponsePart, value: unknown): TrackedResult | undefined => {
  const execution = executionOf(turn, part.id, value, "app")
  if (execution !== undefined) return ofExecution(turn, execution)
  if (part.isFailure !== true) return undefined
  if (isDenial(value)) return ofDenial(turn, part.id, value, "app")
  return isMarked(value, "execution-interrupted") ? synthesized(turn, part, value) : undefined
}
