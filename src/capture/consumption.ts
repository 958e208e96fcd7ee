/** The results that a request carries to the provider for the first time. */
import type { TrackedResult } from "../lifecycle/TrackedCall.ts"
import * as MissingResult from "../pairing/MissingResult.ts"
import type { PairedResult, Pairing } from "../pairing/Pairing.ts"
import type { Request } from "./Request.ts"
import * as Results from "./results.ts"
import type { Turn } from "./Turn.ts"

const consume = (turn: Turn, request: Request, result: TrackedResult): void => {
  if (!turn.observation.say(result.call, { _tag: "ResultConsumed", result: result.index })) return
  request.consumedCount++
  request.consumed.push(result.span)
  turn.observation.ledger.settle(result.call)
}

const optionsOf = (source: object): unknown => (source as { options?: unknown }).options

/** A result of this process that the part is: by its own object, else the first one of its call that no request carried. */
const toldBefore = (turn: Turn, result: PairedResult, pairing: Pairing): TrackedResult | undefined => {
  const byIdentity = turn.observation.identifiedResult(optionsOf(result.source))
  if (byIdentity !== undefined && (byIdentity.call.hostId ?? "") === (result.id ?? "")) return byIdentity
  if (result.call === undefined) return undefined
  const known = turn.history.known(result.call, pairing.calls.indexOf(result.call))
  return known.remembered ? known.tracked.results[result.call.results.indexOf(result)] : undefined
}

/** Tells a result that the app, or another process, put into the history. */
const fromPrompt = (turn: Turn, result: PairedResult, pairing: Pairing): TrackedResult | undefined => {
  const call = result.call
  if (call !== undefined && call.results.indexOf(result) > 0) return undefined
  const known = call === undefined ? undefined : turn.history.known(call, pairing.calls.indexOf(call))
  const tracked = known?.tracked ?? turn.history.unknown(result.id, result.name ?? "", false, result.key)
  const execution = tracked.executions.at(-1)
  const to = execution ?? tracked.decision
  return Results.write(turn, tracked, {
    outcome: !result.isFailure ? "success" : Results.isDenial(result.result) ? "denied" : "failure",
    origin: MissingResult.is(result.result) ? "synthesized" : "prompt",
    link: to === undefined ? undefined : { type: "result_of", to },
    ambiguous: known?.ambiguous === true,
    value: result.result
  }, turn.now())
}

const carriedBefore = (turn: Turn, sources: ReadonlyArray<object | undefined>): boolean => {
  let before = false
  for (const source of sources) {
    if (source === undefined) continue
    if (turn.observation.carries(source)) before = true
  }
  return before
}

/**
 * Tells what a request consumes: each result after the last assistant message that no earlier request carried.
 *
 * `complete` is false when only the app's own prompt is known: what this turn ran or denied before the request is not
 * in it, and is carried too.
 */
export const tell = (turn: Turn, request: Request, pairing: Pairing, complete: boolean): void => {
  const original = turn.history.pairing
  pairing.results.forEach((result, index) => {
    if (result.message <= pairing.lastAssistant) return
    const source = original.results[index]?.source
    if (carriedBefore(turn, source === result.source ? [source] : [source, result.source])) return
    const execution = index < original.results.length
      ? undefined
      : Results.executionOf(turn, result.id, result.result, "provider")
    const told = execution !== undefined
      ? Results.ofExecution(turn, execution)
      : (index >= original.results.length && result.isFailure && Results.isDenial(result.result)
        ? Results.ofDenial(turn, result.id, result.result, "provider")
        : undefined) ??
        (MissingResult.is(result.result) ? undefined : toldBefore(turn, result, pairing)) ??
        fromPrompt(turn, result, pairing)
    if (told !== undefined) consume(turn, request, told)
  })
  if (complete) return
  for (const execution of turn.executions) {
    if (execution.decision !== undefined) continue
    const told = Results.ofExecution(turn, execution)
    if (told !== undefined) consume(turn, request, told)
  }
  for (const answer of turn.answers) {
    const told = answer.action === "deny" ? Results.ofDenial(turn, answer.taken.id, undefined, "provider") : undefined
    if (told !== undefined) consume(turn, request, told)
  }
}
