/** Provider clients whose requests are told as they are on the wire. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { anthropicMessages } from "./anthropicMessages.ts"
import { observeStream } from "./observeStream.ts"
import type { AnyFiber } from "./references.ts"
import * as References from "./references.ts"
import type { RequestHost } from "./Request.ts"
import { Request } from "./Request.ts"
import { hasFunctions } from "./shape.ts"
import { instrumented } from "./toolkit.ts"
import type { WireProtocol, WireReader } from "./Wire.ts"

/** How one provider client offers one API. */
interface ClientShape {
  readonly plain: string
  readonly streamed: string
  readonly protocol: WireProtocol
}

const shapes: ReadonlyArray<ClientShape> = [
  { plain: "createMessage", streamed: "createMessageStream", protocol: anthropicMessages }
]

/** One request as the client sees it: the hook's, when there is one in progress, else its own. */
interface Exchange {
  readonly request: Request
  readonly reader: WireReader
  readonly now: () => bigint
  /** The client began the request, and ends it. */
  readonly own: boolean
  readonly context: Context.Context<never>
}

const bodyOf = (options: any): unknown => options?.payload ?? options

const hostOf = (fiber: AnyFiber): RequestHost => ({
  observation: fiber.getRef(References.CurrentObservation),
  now: References.clock(fiber),
  place: References.place(fiber, fiber.getRef(Tracer.Tracer), References.currentSpan(fiber)),
  tools: undefined
})

const begin = (fiber: AnyFiber, protocol: WireProtocol, options: unknown): Exchange | undefined => {
  if (!References.isTraced(fiber)) return undefined
  const observation = fiber.getRef(References.CurrentObservation)
  let exchange: Exchange | undefined
  observation.guarded(() => {
    const turn = fiber.getRef(References.CurrentTurn)
    const inTurn = turn !== undefined && !turn.ended && turn.span !== undefined ? turn : undefined
    const running = inTurn?.request
    const joined = running !== undefined && !running.ended && !running.unseen && running.wire === undefined
      ? running
      : undefined
    const request = joined ?? inTurn?.openRequest(undefined) ?? new Request(hostOf(fiber), undefined, undefined)
    const body = bodyOf(options)
    const reader = protocol.reader()
    request.asks(protocol.model(body))
    request.provider = protocol.provider
    request.wire = reader
    const context = Context.make(Tracer.ParentSpan, request.span) as Context.Context<never>
    exchange = {
      request,
      reader,
      now: inTurn?.now ?? References.clock(fiber),
      own: joined === undefined,
      context
    }
  })
  return exchange
}

const end = (exchange: Exchange, exit: Exit.Exit<unknown, unknown>): void => {
  if (!exchange.own) return
  exchange.request.observation.guarded(() => {
    exchange.request.end(exit)
    for (const decision of exchange.request.decisions) decision.end("not_required", undefined)
  })
}

const guarded = (exchange: Exchange, run: () => void): void => exchange.request.observation.guarded(run)

const plain = (original: (options: any) => Effect.Effect<any, any, any>, protocol: WireProtocol) => (options: unknown) =>
  Effect.withFiber((fiber) => {
    const exchange = begin(fiber, protocol, options)
    if (exchange === undefined) return original(options)
    return Effect.onExit(Effect.provideContext(original(options), exchange.context), (exit) => {
      if (exit._tag === "Success") {
        const body = Array.isArray(exit.value) ? exit.value[0] : exit.value
        guarded(exchange, () => exchange.reader.response(body, exchange.now()))
      }
      end(exchange, exit)
      return Effect.void
    })
  })

const streamed = (original: (options: any) => Effect.Effect<any, any, any>, protocol: WireProtocol) => (options: unknown) =>
  Effect.withFiber((fiber) => {
    const exchange = begin(fiber, protocol, options)
    if (exchange === undefined) return original(options)
    return Effect.onExit(Effect.provideContext(original(options), exchange.context), (exit) => {
      if (exit._tag === "Failure") end(exchange, exit)
      return Effect.void
    }).pipe(Effect.map((answer) => watched(exchange, answer)))
  })

const watched = (exchange: Exchange, answer: unknown): unknown => {
  const observe = (stream: Stream.Stream<unknown, any, any>) =>
    observeStream(stream, {
      onChunk: (chunk) =>
        guarded(exchange, () => {
          exchange.request.onChunk()
          for (const event of chunk) exchange.reader.event(event, exchange.now())
        }),
      onEnd: (exit) => end(exchange, exit)
    })
  if (Stream.isStream(answer)) return observe(answer as Stream.Stream<unknown, any, any>)
  return Array.isArray(answer) ? answer.map((item) => Stream.isStream(item) ? observe(item as never) : item) : answer
}

/** The same client service, told. */
export const client = <A>(service: A): A => {
  const shape = shapes.find((one) => hasFunctions(service, one.plain, one.streamed))
  if (shape === undefined || instrumented in (service as object)) return service
  const methods = service as Record<string, any>
  const told = Object.create(Object.getPrototypeOf(service), Object.getOwnPropertyDescriptors(service))
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(told, name, { value, enumerable: true, configurable: true, writable: true })
  }
  define(shape.plain, plain(methods[shape.plain].bind(service), shape.protocol))
  define(shape.streamed, streamed(methods[shape.streamed].bind(service), shape.protocol))
  Object.defineProperty(told, instrumented, { value: true })
  return told
}
