/** One request as a provider client sees it: its body on the way out, its response on the way in. */
import * as Context from "effect/Context"
import type * as Exit from "effect/Exit"
import * as Tracer from "effect/Tracer"
import type { WireOptions, WirePairing } from "../pairing/Wire.ts"
import { pairWire } from "../pairing/Wire.ts"
import * as ErrorType from "./errorType.ts"
import type { AnyFiber } from "./references.ts"
import * as OfferedTools from "./offeredTools.ts"
import * as References from "./references.ts"
import { Request } from "./Request.ts"
import type { Tools } from "./shape.ts"
import * as ToolFacts from "./toolFacts.ts"
import type { Turn } from "./Turn.ts"
import type { WireProtocol, WireReader } from "./Wire.ts"
import { text } from "./Wire.ts"

/** The exchange whose client runs: a client that is made of another one is told once. */
export const CurrentExchange: Context.Reference<Exchange | undefined> = Context.Reference<Exchange | undefined>(
  "toolspan/CurrentExchange",
  { defaultValue: () => undefined }
)

/** The URL that was asked, by the HTTP response or by the error that stands in for it. */
const urlOf = (value: any): string | undefined => text(value?.request?.url) ?? text(value?.reason?.http?.request?.url)

/** The request of a hook that this client call is a part of; a second call of one hook is a request of its own. */
const ofHook = (turn: Turn): Request | undefined => {
  const running = turn.request
  if (running === undefined || running.ended || running.unseen) return undefined
  if (running.wire === undefined) return running
  if (running.clientExit === undefined || running.options === undefined) return undefined
  const next = turn.openRequest(running.options)
  next.options = running.options
  running.successor = next
  running.end(running.clientExit)
  return next
}

export class Exchange {
  readonly request: Request
  readonly now: () => bigint
  /** What the client's own effects run under: the request's span. */
  readonly context: Context.Context<never>
  ended = false
  readonly #reader: WireReader
  readonly #protocol: WireProtocol
  /** The client began the request, and ends it. */
  readonly #own: boolean
  /** The request is part of no turn. */
  readonly #direct: boolean

  /** A request of this body begins; `undefined` where nothing is to be told. */
  static begin(fiber: AnyFiber, protocol: WireProtocol, body: unknown): Exchange | undefined {
    if (!References.isTraced(fiber)) return undefined
    if (fiber.getRef(CurrentExchange)?.ended === false) return undefined
    let exchange: Exchange | undefined
    fiber.getRef(References.CurrentObservation).guarded(() => {
      exchange = new Exchange(fiber, protocol, body)
    })
    return exchange
  }

  constructor(fiber: AnyFiber, protocol: WireProtocol, body: unknown) {
    const observation = fiber.getRef(References.CurrentObservation)
    const current = References.currentTurn(fiber)
    const turn = current !== undefined && !current.ended && current.span !== undefined ? current : undefined
    const hooked = turn === undefined ? undefined : ofHook(turn)
    const known = hooked ?? turn?.openRequest(undefined)
    this.now = turn?.now ?? References.clock(fiber)
    let outbound: WirePairing | undefined
    observation.guarded(() => {
      outbound = pairWire(protocol.format, body, wireOptions(known, turn?.tools))
    })
    const request = known ?? new Request(
      {
        observation,
        now: this.now,
        place: References.place(fiber, fiber.getRef(Tracer.Tracer), References.currentSpan(fiber)),
        tools: OfferedTools.ofBody(body)
      },
      undefined,
      outbound
    )
    for (const violation of outbound?.violations ?? []) request.violations.push(violation)
    request.asks(text((body as { model?: unknown } | null | undefined)?.model))
    request.provider = protocol.provider(undefined)
    this.#reader = protocol.reader()
    request.wire = this.#reader
    this.request = request
    this.#protocol = protocol
    this.#own = hooked === undefined
    this.#direct = known === undefined
    this.context = Context.make(Tracer.ParentSpan, request.span).pipe(
      Context.add(CurrentExchange, this)
    ) as Context.Context<never>
  }

  /** Takes the HTTP response, for the URL that was asked. */
  answered(response: unknown): void {
    const url = urlOf(response)
    if (url !== undefined) this.request.provider = this.#protocol.provider(url)
  }

  /** Takes a whole response body. */
  body(body: unknown): void {
    this.#reader.response(body, this.now())
  }

  /** Takes events of a streamed response. */
  events(chunk: ReadonlyArray<unknown>): void {
    if (this.ended) return
    this.request.onChunk()
    const now = this.now()
    for (const event of chunk) this.#reader.event(event, now)
    if (this.#own) this.request.decideWhole()
  }

  /** The client's part has ended; where a hook began the request, the hook ends it. */
  end(exit: Exit.Exit<unknown, unknown>): void {
    if (this.ended) return
    this.ended = true
    if (exit._tag === "Failure") this.answered(ErrorType.valueOf(exit.cause)?.error)
    this.request.clientExit = exit
    if (!this.#own) return
    this.request.end(exit)
    // In a turn, the turn tells of approvals, and ends the decisions when it has.
    if (!this.#direct) return
    for (const decision of this.request.decisions) {
      const approval = decision.wire?.approval
      decision.end(approval?.state ?? "not_required", approval?.id)
    }
  }
}

/** A history that an encoder of the host wrote has arguments that parse; one that an app wrote may not. */
const wireOptions = (request: Request | undefined, tools: Tools | undefined): WireOptions => ({
  ...(tools === undefined ? undefined : { tools: ToolFacts.ofTools(tools).list }),
  ...(request?.prompt === undefined ? undefined : { prompt: request.prompt, parseArguments: false })
})
