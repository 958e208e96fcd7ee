/** Provider clients whose requests are told as they are on the wire. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { anthropicMessages } from "./anthropicMessages.ts"
import { chatCompletions } from "./chatCompletions.ts"
import { Exchange } from "./Exchange.ts"
import * as Guard from "./guard.ts"
import { observeStream } from "./observeStream.ts"
import { openAiResponses } from "./openAiResponses.ts"
import { hasFunctions } from "./shape.ts"
import { instrumented } from "./toolkit.ts"
import type { WireProtocol } from "./Wire.ts"
import { withMethods } from "./withMethods.ts"

type Method = (options: any) => Effect.Effect<any, any, any>

/** The API that a request body is of. */
type ProtocolOf = (body: any) => WireProtocol

/** How one provider client offers one API. */
interface ClientShape {
  readonly plain: string
  readonly streamed: string
  readonly protocolOf: ProtocolOf
}

const shapes: ReadonlyArray<ClientShape> = [
  { plain: "createMessage", streamed: "createMessageStream", protocolOf: () => anthropicMessages },
  {
    // Both OpenAI packages name their methods so; only the bodies differ.
    plain: "createResponse",
    streamed: "createResponseStream",
    protocolOf: (body) => Array.isArray(body?.messages) ? chatCompletions : openAiResponses
  }
]

/** The methods of Anthropic's generated client that make a message; the service's own methods do not go through them. */
const generated = ["messagesPost", "betaMessagesPost"]

const bodyOf = (options: any): unknown => options?.payload ?? options

const withBody = (options: any, body: unknown): any =>
  options?.payload === undefined ? body : { ...options, payload: body }

const guarded = (exchange: Exchange, run: () => void): void => exchange.request.observation.guarded(run)

/** The body of an answer that may have its HTTP response beside it. */
const takeBody = (exchange: Exchange, answer: unknown): void => {
  const [body, response] = Array.isArray(answer) ? answer : [answer, undefined]
  exchange.answered(response)
  exchange.body(body)
}

const plain = (original: Method, protocolOf: ProtocolOf, method: string): Method => (given) =>
  Effect.withFiber((fiber) => {
    const protocol = protocolOf(bodyOf(given))
    const { refusal, value: body } = Guard.body(fiber, protocol.format, method, bodyOf(given))
    if (refusal !== undefined) return refusal
    const options = body === bodyOf(given) ? given : withBody(given, body)
    const exchange = Exchange.begin(fiber, protocol, body)
    if (exchange === undefined) return original(options)
    return Effect.onExit(Effect.provideContext(original(options), exchange.context), (exit) => {
      if (exit._tag === "Success") guarded(exchange, () => takeBody(exchange, exit.value))
      guarded(exchange, () => exchange.end(exit))
      return Effect.void
    })
  })

const streamed = (original: Method, protocolOf: ProtocolOf, method: string): Method => (given) =>
  Effect.withFiber((fiber) => {
    const protocol = protocolOf(bodyOf(given))
    const { refusal, value: body } = Guard.body(fiber, protocol.format, method, bodyOf(given))
    if (refusal !== undefined) return refusal
    const options = body === bodyOf(given) ? given : withBody(given, body)
    const exchange = Exchange.begin(fiber, protocol, body)
    if (exchange === undefined) return original(options)
    return Effect.onExit(Effect.provideContext(original(options), exchange.context), (exit) => {
      if (exit._tag === "Failure") guarded(exchange, () => exchange.end(exit))
      return Effect.void
    }).pipe(Effect.map((answer) => watched(exchange, answer)))
  })

const watched = (exchange: Exchange, answer: unknown): unknown => {
  const observe = (stream: Stream.Stream<unknown, any, any>) =>
    observeStream(stream, {
      onChunk: (chunk) => guarded(exchange, () => exchange.events(chunk)),
      onEnd: (exit) => guarded(exchange, () => exchange.end(exit))
    })
  const watch = (item: unknown): unknown => {
    if (Stream.isStream(item)) return observe(item as Stream.Stream<unknown, any, any>)
    guarded(exchange, () => exchange.answered(item))
    return item
  }
  return Array.isArray(answer) ? answer.map(watch) : watch(answer)
}

const generatedClient = (original: unknown): unknown => {
  const methods = generated.filter((name) => hasFunctions(original, name))
  if (methods.length === 0) return original
  const client = original as Record<string, any>
  return withMethods(
    client,
    Object.fromEntries(methods.map((name) => [name, plain(client[name].bind(client), () => anthropicMessages, name)]))
  )
}

/** The same client service, told. */
export const client = <A>(service: A): A => {
  const shape = shapes.find((one) => hasFunctions(service, one.plain, one.streamed))
  if (shape === undefined || instrumented in (service as object)) return service
  const methods = service as Record<string, any>
  const replaced = {
    [shape.plain]: plain(methods[shape.plain].bind(service), shape.protocolOf, shape.plain),
    [shape.streamed]: streamed(methods[shape.streamed].bind(service), shape.protocolOf, shape.streamed),
    ...("client" in methods ? { client: generatedClient(methods["client"]) } : undefined)
  }
  return withMethods(methods, replaced, instrumented) as A
}
