/** One request to the provider: its `chat` span, what it carries and what its response decides. */
import type * as Tracer from "effect/Tracer"
import * as Limit from "../lifecycle/limit.ts"
import type { Place, ViolationFacts } from "../lifecycle/SpanWriter.ts"
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import type { Numbering } from "../pairing/Numbering.ts"
import { after } from "../pairing/Numbering.ts"
import type { Pairing } from "../pairing/Pairing.ts"
import { checkResponse } from "../pairing/Response.ts"
import { Decision, read } from "./Decision.ts"
import { errorKind } from "./errorKind.ts"
import type { DecidedInput, RecordedTool, RequestInput, ResponseInput } from "./Input.ts"
import type * as Refusal from "./Refusal.ts"
import type { Session } from "./Session.ts"

export class Request {
  readonly decisions: Array<Decision> = []
  readonly violations: Array<ViolationFacts> = []
  readonly span: Tracer.Span
  ended = false
  readonly #session: Session
  readonly #place: Place
  readonly #decisionPlace: Place
  readonly #model: string | undefined
  readonly #provider: string | undefined
  readonly #history: Pairing | undefined
  readonly #numbering: Numbering
  readonly #tools: ReadonlyArray<RecordedTool> | undefined
  readonly #consumed: Array<Tracer.AnySpan> = []
  #consumedCount = 0

  constructor(
    session: Session,
    place: Place,
    input: RequestInput,
    history: Pairing | undefined,
    tools: ReadonlyArray<RecordedTool> | undefined
  ) {
    this.#session = session
    this.#place = place
    // Read once: what the app does to its object later reaches no span.
    const { model, provider } = input
    this.#model = model
    this.#provider = provider
    this.#history = history
    this.#tools = tools
    this.#numbering = after(history)
    this.span = session.writer.openChat(place, model, session.now())
    this.#decisionPlace = { ...place, parent: this.span }
  }

  decide(told: DecidedInput): Decision {
    const input = read(told)
    const numbered = this.#numbering.next(input.id, input.hostId, input.providerExecuted === true)
    const decision = new Decision(this.#session, this.#decisionPlace, numbered, input, this.#tools)
    this.decisions.push(decision)
    return decision
  }

  /** Notes that the request carries the first result of the call that none carried yet. */
  consume(call: TrackedCall): Refusal.Refusal | undefined {
    const result = this.#session.resultOf(call)
    if (result === undefined) return this.#session.refuse("unknown_result")
    const refused = this.#session.say(call, { _tag: "ResultConsumed", result: result.index })
    if (refused !== undefined) return refused
    this.#consumedCount++
    // What is beyond the limit is counted, not kept.
    if (this.#consumed.length < Limit.maximumConsumesLinks) this.#consumed.push(result.span)
    else this.#session.dropped.links++
    this.#session.settle(call)
    return undefined
  }

  #tell(time: bigint): void {
    const { dropped, writer } = this.#session
    if (this.#consumed.length > 0) writer.consume(this.span, this.#consumed, false)
    if (this.decisions.length > 0) {
      const decided = this.decisions.map((decision) => decision.decided)
      const { violations } = checkResponse(decided, { prompt: this.#history, tools: this.#tools })
      for (const violation of violations) this.violations.push(violation)
    }
    dropped.violations += Math.max(0, this.violations.length - Limit.maximumViolationEvents)
    writer.violations(this.#place, this.span, reported(this.violations, this.#tools), time)
  }

  /** Ends the span with the response, or with what the request failed with. */
  end(input: ResponseInput): void {
    if (this.ended) return
    // Read first: an app's object that cannot be read has ended nothing.
    const response = { ...input }
    this.ended = true
    const time = this.#session.nowAfter(this.span)
    // What cannot be told keeps no span open.
    this.#session.guarded(() => this.#tell(time))
    this.#session.writer.endChat(this.#place, this.span, {
      provider: this.#provider,
      requestModel: this.#model,
      responseModel: response.model,
      responseId: response.id,
      finishReasons: response.finishReasons,
      timeToFirstChunkSeconds: response.timeToFirstChunkSeconds,
      inputTokens: response.inputTokens,
      outputTokens: response.outputTokens,
      cacheReadTokens: response.cacheReadTokens,
      cacheWriteTokens: response.cacheWriteTokens,
      reasoningTokens: response.reasoningTokens,
      decided: this.decisions.length,
      consumed: this.#consumedCount,
      errorType: response.interrupted === true ? undefined : errorKind(response.error),
      interrupted: response.interrupted === true
    }, time)
  }
}

/** Faults as they are reported: without a tool's name that may be the model's invention. */
export const reported = (
  violations: ReadonlyArray<ViolationFacts>,
  tools: ReadonlyArray<RecordedTool> | undefined
): ReadonlyArray<ViolationFacts> =>
  tools === undefined
    ? violations
    : violations.map((violation) =>
      violation.name === undefined || tools.some((tool) => tool.name === violation.name)
        ? violation
        : { ...violation, name: undefined }
    )
