/** One turn: a call of the model with what it carries, decides and runs. */
import * as Cause from "effect/Cause"
import type * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import type { Place, ViolationFacts } from "../lifecycle/SpanWriter.ts"
import * as Call from "../lifecycle/ToolCall.ts"
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as EffectPrompt from "../pairing/EffectPrompt.ts"
import type { Pairing } from "../pairing/Pairing.ts"
import { pair } from "../pairing/Pairing.ts"
import * as Host from "../semconv/host.ts"
import * as SpanName from "../semconv/span.ts"
import { Settings } from "../settings/settings.ts"
import * as Approvals from "./approvals.ts"
import * as Carrier from "../lifecycle/carrier.ts"
import * as Consumption from "./consumption.ts"
import type { Decision } from "./Decision.ts"
import type { Execution } from "./Execution.ts"
import { History } from "./History.ts"
import * as HostSpan from "./hostSpan.ts"
import type { Observation } from "./Observation.ts"
import * as OtelContext from "./otelContext.ts"
import type { AnyFiber } from "./references.ts"
import * as References from "./references.ts"
import { Request } from "./Request.ts"
import type { RequestHost } from "./Request.ts"
import * as Results from "./results.ts"
import type { Change } from "./storedCarrier.ts"
import * as ToolFacts from "./toolFacts.ts"
import type { ProviderOptions, ResponsePart, Tools, TurnOptions } from "./shape.ts"
import { toolsOf } from "./shape.ts"

const turnNames: ReadonlySet<string> = new Set(SpanName.turns)

export class Turn implements RequestHost {
  readonly observation: Observation
  readonly now: () => bigint
  readonly mode: "generate" | "stream"
  startTime: bigint
  /** False where the app switched timing off: every time is 0. */
  readonly timed: boolean
  /** The app's own tracer: what this turn installs only passes through it. */
  readonly appTracer: Tracer.Tracer
  readonly tracer: Tracer.Tracer
  readonly requests: Array<Request> = []
  readonly executions: Array<Execution> = []
  readonly violations: Array<ViolationFacts> = []
  readonly answers: Array<Approvals.ToldAnswer> = []
  tools: Tools | undefined
  place: Place
  span: Tracer.Span | undefined
  history: History
  ended = false
  /** How spans of other processes are known, and told to them. */
  readonly carrier: "off" | "in-band" | "store"
  /** What the store has, by the call's own part in the history. */
  readonly stored: ReadonlyMap<object, unknown> | undefined
  /** What the store is to be told at the end. */
  readonly changes: Array<Change> = []
  readonly #options: TurnOptions
  readonly #limits: Settings
  readonly #model: string | undefined
  #keptBack: Map<string, unknown> | undefined
  #outgoingCalls = 0
  #answered = false

  constructor(
    observation: Observation,
    fiber: AnyFiber,
    options: TurnOptions,
    mode: "generate" | "stream",
    stored: ReadonlyMap<object, unknown> | undefined
  ) {
    this.observation = observation
    this.mode = mode
    this.now = References.clock(fiber)
    this.timed = References.isTimed(fiber)
    this.startTime = this.now()
    this.appTracer = fiber.getRef(Tracer.Tracer)
    this.#options = options
    this.tools = toolsOf(options.toolkit)
    this.#limits = fiber.getRef(Settings)
    this.carrier = this.#limits.carrier === "in-band" ? "in-band" : stored === undefined ? "off" : "store"
    this.stored = stored
    this.#model = References.modelName(fiber)
    this.place = References.place(fiber, this.appTracer, undefined)
    this.history = new History(this, emptyPairing, this.#limits)
    const appTracer = this.appTracer
    this.tracer = Tracer.make({
      span: (spanOptions) => {
        let span = appTracer.span(spanOptions)
        if (this.span === undefined && turnNames.has(spanOptions.name)) {
          this.observation.guarded(() => {
            span = this.#attach(span)
          })
        }
        return span
      },
      context: OtelContext.kept(appTracer.context)
    })
    observation.counters.turns++
  }

  /** The request in progress, or the last one. */
  get request(): Request | undefined {
    return this.requests.at(-1)
  }

  /** The decisions of the last request: only these count. */
  get decisions(): ReadonlyArray<Decision> {
    return this.request?.decisions ?? []
  }

  /** Takes the turn's span; gives the one that the host goes on with. */
  #attach(span: Tracer.Span): Tracer.Span {
    this.span = span
    // What the turn itself tells happened no earlier than its span began.
    this.startTime = span.status.startTime
    this.place = { ...this.place, parent: span, sampled: span.sampled, silent: !span.sampled }
    const watched = HostSpan.watch(span, this.place.content, {
      keeps: (key, value) => this.#keeps(key, value),
      onEnd: (exit) => this.observation.guarded(() => this.#finish(exit))
    })
    this.observation.guarded(() => {
      const pairing = this.#pair(this.#options.prompt)
      this.history = new History(this, pairing, this.#limits)
      Approvals.tell(this, pairing)
    })
    return watched
  }

  /** Keeps what belongs to the request's span off the turn's span, and learns from it. */
  #keeps(key: string, value: unknown): boolean {
    // Without a span of its own a handler runs under the turn's: what the host writes there of a call is content.
    if (this.place.silent && Host.toolAttributes.includes(key)) return true
    if (HostSpan.belongsToRequest(key)) {
      ;(this.#keptBack ??= new Map()).set(key, value)
      return true
    }
    const request = this.request
    if (request !== undefined && !request.ended) HostSpan.learn(request, key, value)
    return false
  }

  /** A provider request begins. `options` are what a provider hook was given; a client alone has none. */
  openRequest(options: ProviderOptions | undefined): Request {
    this.tools ??= options === undefined ? undefined : toolsNamed(options.tools)
    const prompt = options?.prompt
    const pairing = prompt === undefined || prompt === this.#options.prompt
      ? this.history.pairing
      : this.#pair(prompt)
    const request = new Request(this, this.#model, pairing)
    this.#begin(request, pairing, prompt !== undefined)
    return request
  }

  #pair(prompt: unknown): Pairing {
    return pair(
      EffectPrompt.fromPrompt(prompt),
      this.tools === undefined ? {} : ToolFacts.ofTools(this.tools).pairing
    )
  }

  #begin(request: Request, pairing: Pairing, complete: boolean): void {
    for (const violation of pairing.violations) request.violations.push(violation)
    Consumption.tell(this, request, pairing, complete)
    this.requests.push(request)
  }

  /** Stands in for a request where neither the provider's hook nor its client is within reach: the turn itself. */
  #unseenRequest(): Request | undefined {
    if (this.request !== undefined) return this.request
    if (this.span === undefined) return undefined
    const request = new Request(this, undefined, this.history.pairing, this.span)
    this.#begin(request, this.history.pairing, false)
    return request
  }

  /** The handler of a call is about to run and nothing has told of the decision: this tells it. */
  decideFromHandle(name: string, params: unknown, id: string | undefined): Decision | undefined {
    const request = this.#unseenRequest()
    if (request === undefined || !request.unseen) return undefined
    request.onPart({ type: "tool-call", id, name, params }, this.mode === "stream")
    return request.decisions.at(-1)
  }

  /** Takes a part on its way to the app. */
  onPart(part: ResponsePart): void {
    // The results of approved calls come out before the provider is asked.
    if (part.type !== "tool-result" || part.providerExecuted === true) this.#answered = true
    switch (part.type) {
      case "tool-call":
        return this.#onCall(part)
      case "tool-approval-request":
        return Approvals.asked(this, part)
      case "tool-result":
        if (part.preliminary !== true) Results.tell(this, part)
        return
    }
  }

  #onCall(part: ResponsePart): void {
    const request = this.#unseenRequest()
    if (request === undefined) return
    const index = this.#outgoingCalls++
    const inOrder = request.decisions[index]
    const decision = inOrder?.hostId === part.id
      ? inOrder
      : request.decisions.find((one) => one.hostId === part.id && !one.seen) ??
        request.adopting(part.id, part.name ?? "", part.params)
    if (decision === undefined) {
      if (!request.unseen) return
      request.onPart(part, this.mode === "stream")
    }
    const known = decision ?? request.decisions.at(-1)
    if (known === undefined) return
    known.seen = true
    // The default metadata is one shared object: one of its own recognises the call when it comes back in a history.
    part.metadata = { ...part.metadata }
    if (this.carrier !== "off" && !known.tracked.call.identity.providerExecuted) {
      known.carrier = { v: 1, decided: Carrier.write(known.span) }
      if (this.carrier === "in-band") part.metadata[Carrier.field] = known.carrier
    }
    this.observation.identify(part.metadata, known.tracked)
    this.observation.identify(part.params, known.tracked)
  }

  #finish(exit: Exit.Exit<any, any>): void {
    const succeeded = exit._tag === "Success"
    if (succeeded && this.mode === "generate" && Array.isArray(exit.value?.content)) {
      for (const part of exit.value.content) this.observation.guarded(() => this.onPart(part))
    }
    if (succeeded && (this.mode === "generate" || this.#answered)) this.#unseenRequest()
    const span = this.span
    for (const request of this.requests) {
      this.observation.guarded(() => request.end(exit))
      for (const decision of request.decisions) {
        decision.end(decision.tracked.call.approval, decision.tracked.call.approvalId)
      }
    }
    this.ended = true
    if (span === undefined) return
    const seen = this.requests.some((request) => !request.unseen)
    if (!seen) {
      for (const [key, value] of this.#keptBack ?? []) span.attribute(key, value)
      for (const { violations } of this.requests) {
        for (const violation of violations) this.violations.push(violation)
      }
    }
    const violations = this.violations.map((violation) => ToolFacts.reported(violation, this.tools))
    this.observation.writer.violations(this.place, span, violations, this.now())
    this.#remember(exit)
  }

  /** What still waits is remembered; what a failed turn decided never comes back in a history. */
  #remember(exit: Exit.Exit<unknown, unknown>): void {
    const now = Number(this.now() / 1_000_000n)
    const keep = (tracked: TrackedCall, comesBack: boolean): void => {
      if (comesBack || Call.isOpen(tracked.call)) this.observation.ledger.remember(tracked, now, this.#limits)
      else this.observation.ledger.forget(tracked)
    }
    this.requests.forEach((request, index) => {
      const last = index === this.requests.length - 1
      for (const decision of request.decisions) {
        const lost = !last || (exit._tag === "Failure" && decision.tracked.results.length === 0 &&
          (this.mode === "generate" || !decision.seen || !Cause.hasInterruptsOnly(exit.cause)))
        if (lost || decision.tracked.call.identity.name === undefined) continue
        keep(decision.tracked, false)
        if (decision.tracked.results.length === 0 && decision.carrier !== undefined) {
          this.changes.push({ call: decision.tracked, carrier: decision.carrier })
        }
      }
    })
    // Whoever did not get the result of an approved call may send the same history once more, and the call runs again.
    const unseen = this.executions.filter((execution) => exit._tag === "Failure" || !execution.ways.has("app"))
    const ran = new Set(unseen.map((execution) => execution.tracked))
    for (const tracked of this.history.trackedCalls()) {
      keep(tracked, ran.has(tracked))
      if (tracked.results.length > 0) this.changes.push({ call: tracked, carrier: undefined })
    }
  }
}

const emptyPairing: Pairing = pair([])

const toolsNamed = (tools: ProviderOptions["tools"]): Tools | undefined =>
  Array.isArray(tools) && tools.length > 0 ? Object.fromEntries(tools.map((tool) => [tool.name, tool])) : undefined
