/** One request to a provider: its `chat` span, the calls that its response decides, and what is wrong with either. */
import * as Cause from "effect/Cause"
import type * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import type { Place, ViolationFacts } from "../lifecycle/SpanWriter.ts"
import * as Numbering from "../pairing/Numbering.ts"
import type { Pairing } from "../pairing/Pairing.ts"
import { checkResponse } from "../pairing/Response.ts"
import { Decision } from "./Decision.ts"
import * as ErrorType from "./errorType.ts"
import type { Observation } from "./Observation.ts"
import type { ProviderOptions, ResponsePart, Tools } from "./shape.ts"
import * as ToolFacts from "./toolFacts.ts"
import type { Usage, WireCall, WireFacts, WireReader } from "./Wire.ts"
import { bytesOf } from "./Wire.ts"

interface Partial {
  readonly name: string
  readonly providerExecuted: boolean
  readonly startTime: bigint
  deltas: number
  bytes: number
}

const noUsage: Usage = {}

const streamDied: ReadonlyArray<string> = ["error"]

const number = (value: unknown): number | undefined => typeof value === "number" ? value : undefined

/** What a request needs to know of the turn, or of the fiber where there is no turn. */
export interface RequestHost {
  readonly observation: Observation
  readonly place: Place
  readonly now: () => bigint
  /** The tools of the turn by their toolkit name; `undefined` when they are not known. */
  readonly tools: Tools | undefined
}

export class Request {
  readonly startTime: bigint
  readonly decisions: Array<Decision> = []
  readonly violations: Array<ViolationFacts> = []
  readonly consumed: Array<Tracer.AnySpan> = []
  consumedCount = 0
  consumedAmbiguous = false
  /** Goes on counting the ids of the prompt with those of the response. */
  readonly numbering: Numbering.Numbering
  wire: WireReader | undefined
  /** How the client's part of the request ended, while the hook may still go on. */
  clientExit: Exit.Exit<unknown, unknown> | undefined
  /** What the hook was given. */
  options: ProviderOptions | undefined
  /** The hook asked the provider again: what it tells from here on is of that request. */
  successor: Request | undefined
  /** The calls on the wire that a decision has. */
  readonly taken = new Set<WireCall>()
  provider: string | undefined
  responseModel: string | undefined
  responseId: string | undefined
  finishReasons: ReadonlyArray<string> | undefined
  usage: Usage = noUsage
  ended = false
  readonly #host: RequestHost
  readonly #partials = new Map<string, Partial>()
  #firstChunk: bigint | undefined
  #wireFacts: WireFacts | undefined
  #place: Place | undefined
  #model: string | undefined
  #span: Tracer.Span | undefined

  /** Neither a hook nor a client saw the request: its decisions stand under the turn's own span. */
  readonly unseen: boolean

  readonly #prompt: Pairing | undefined

  constructor(host: RequestHost, model: string | undefined, prompt: Pairing | undefined, turnSpan?: Tracer.Span) {
    this.#host = host
    this.#prompt = prompt
    this.numbering = Numbering.after(prompt)
    this.#span = turnSpan
    this.unseen = turnSpan !== undefined
    this.startTime = host.now()
    this.#model = model
  }

  /** The pairing of the prompt that the prompt check used. */
  get prompt(): Pairing | undefined {
    return this.#prompt
  }

  /** The last request of the hook. */
  get latest(): Request {
    return this.successor?.latest ?? this
  }

  get tools(): Tools | undefined {
    return this.#host.tools
  }

  get observation(): Observation {
    return this.#host.observation
  }

  /** The span, opened with the true start time when it is first needed. */
  get span(): Tracer.Span {
    return this.#span ??= this.observation.writer.openChat(this.#host.place, this.#model, this.startTime)
  }

  /** The calls on the wire that will not change any more: those that are whole, and at the end all. */
  get wireCalls(): ReadonlyArray<WireCall> {
    return this.#wireFacts?.calls ?? this.wire?.whole() ?? []
  }

  /** Where the decisions of this request are written. */
  get decisionPlace(): Place {
    return this.#place ??= { ...this.#host.place, parent: this.span }
  }

  /** Takes the model that the request asks for: the span's name, unless it is open already. */
  asks(model: string | undefined): void {
    this.#model ??= model
  }

  /** Takes a part of the response as the provider package translated it. */
  onPart(part: ResponsePart, streamed: boolean): void {
    const now = this.#host.now()
    if (streamed) this.#firstChunk ??= now
    switch (part.type) {
      case "response-metadata":
        this.responseId = part.id ?? this.responseId
        this.responseModel = part.modelId ?? this.responseModel
        return
      case "tool-params-start":
        this.#partials.set(part.id ?? "", {
          name: part.name ?? "",
          providerExecuted: part.providerExecuted === true,
          startTime: now,
          deltas: 0,
          bytes: 0
        })
        return
      case "tool-params-delta": {
        const partial = this.#partials.get(part.id ?? "")
        if (partial === undefined || part.delta === undefined || part.delta === "") return
        partial.deltas++
        partial.bytes += bytesOf(part.delta)
        return
      }
      case "tool-call": {
        const partial = this.#partials.get(part.id ?? "")
        this.#partials.delete(part.id ?? "")
        const startTime = partial?.startTime ?? (streamed ? now : this.startTime)
        this.decisions.push(
          Decision.fromPart(this, part, startTime, now, partial?.deltas, partial?.bytes)
        )
        return
      }
      case "finish":
        this.finishReasons = part.reason === undefined ? undefined : [part.reason]
        this.usage = {
          inputTokens: number(part.usage?.inputTokens?.total),
          outputTokens: number(part.usage?.outputTokens?.total),
          cacheReadTokens: number(part.usage?.inputTokens?.cacheRead),
          cacheWriteTokens: number(part.usage?.inputTokens?.cacheWrite),
          reasoningTokens: number(part.usage?.outputTokens?.reasoning)
        }
        return
    }
  }

  /** Marks the first chunk of a streamed response. */
  onChunk(): void {
    this.#firstChunk ??= this.#host.now()
  }

  /** Takes the calls on the wire that are whole, where no hook tells of them as parts. */
  decideWhole(): void {
    for (const call of this.wireCalls) if (!this.taken.has(call)) this.decisions.push(Decision.fromWire(this, call))
  }

  /** The decision of a call whose id the host made up, where only the wire has told of it. */
  adopting(hostId: string | undefined, name: string, params: unknown): Decision | undefined {
    return this.decisions.find((decision) => decision.adopts(hostId, name, params))
  }

  /** Ends the request once; later calls do nothing. */
  end(exit: Exit.Exit<unknown, unknown>): void {
    if (this.ended) return
    this.ended = true
    const now = this.#host.now()
    const wire = this.wire?.facts()
    this.#wireFacts = wire
    this.observation.dropped.wireCalls += wire?.droppedCalls ?? 0
    this.#decideTheRest(wire, now)
    if (this.decisions.length > 0) {
      const tools = this.tools === undefined ? undefined : ToolFacts.ofTools(this.tools).list
      const checked = checkResponse(this.decisions.map((decision) => decision.decided), { prompt: this.#prompt, tools })
      for (const violation of checked.violations) this.violations.push(violation)
    }
    const writer = this.observation.writer
    const span = this.span
    if (this.consumed.length > 0 || this.consumedAmbiguous) {
      writer.consume(span, this.consumed, this.consumedAmbiguous)
    }
    if (this.unseen) return
    const place = this.#host.place
    writer.violations(
      place,
      span,
      this.violations.map((violation) => ToolFacts.reported(violation, this.tools)),
      now
    )
    const errorType = exit._tag === "Failure" ? ErrorType.ofCause(exit.cause) ?? wire?.failure : wire?.failure
    const usage = wire?.usage ?? this.usage
    writer.endChat(place, span, {
      provider: this.provider,
      requestModel: this.#model,
      responseModel: wire?.responseModel ?? this.responseModel,
      responseId: wire?.responseId ?? this.responseId,
      finishReasons: wire?.finishReasons ?? this.finishReasons ??
        (errorType !== undefined && this.#firstChunk !== undefined ? streamDied : undefined),
      timeToFirstChunkSeconds: this.#firstChunk === undefined
        ? undefined
        : Number(this.#firstChunk - this.startTime) / 1e9,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: usage.cacheReadTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      reasoningTokens: usage.reasoningTokens,
      decided: this.decisions.length,
      consumed: this.consumedCount,
      errorType,
      interrupted: exit._tag === "Failure" && errorType === undefined && Cause.hasInterrupts(exit.cause)
    }, now)
  }

  /** Calls that never became whole: what the stream began, and what the wire had but the host could not parse. */
  #decideTheRest(wire: WireFacts | undefined, now: bigint): void {
    for (const [id, partial] of this.#partials) {
      this.decisions.push(Decision.unfinished(this, id, partial, now))
    }
    this.#partials.clear()
    if (wire === undefined) return
    for (const call of wire.calls) {
      if (this.taken.has(call)) continue
      const known = this.decisions.find((decision) => decision.answersTo(call))
      if (known === undefined) {
        this.decisions.push(Decision.fromWire(this, call))
        continue
      }
      known.wire = call
      this.taken.add(call)
    }
  }
}
