/** LanguageModel services whose turns are told. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as Host from "../semconv/host.ts"
import { Settings } from "../settings/settings.ts"
import * as HostSpan from "./hostSpan.ts"
import { observeStream } from "./observeStream.ts"
import type { AnyFiber } from "./references.ts"
import * as References from "./references.ts"
import type { LanguageModel, TurnOptions } from "./shape.ts"
import { hasFunctions, toolsOf } from "./shape.ts"
import * as Toolkit from "./toolkit.ts"
import { Turn } from "./Turn.ts"

/** An iterable that can be read once only must not be read by us: the host gets a list of it. */
const replayable = (prompt: unknown): unknown =>
  typeof prompt === "object" && prompt !== null && Symbol.iterator in prompt && !Array.isArray(prompt)
    ? Array.from(prompt as Iterable<unknown>)
    : prompt

const noting = (turn: Turn, toolkit: Effect.Effect<unknown, any, any>) =>
  Effect.map(toolkit, (resolved) => {
    turn.tools ??= toolsOf(resolved)
    return resolved
  })

const begin = (
  fiber: AnyFiber,
  given: TurnOptions,
  mode: "generate" | "stream"
): { readonly turn: Turn; readonly options: TurnOptions; readonly context: Context.Context<never> } | undefined => {
  if (!References.isTraced(fiber)) return undefined
  const observation = fiber.getRef(References.CurrentObservation)
  let begun: ReturnType<typeof begin>
  observation.guarded(() => {
    const prompt = replayable(given.prompt)
    const options: TurnOptions = given.toolkit === undefined
      ? { ...given, prompt }
      : { ...given, prompt, toolkit: Toolkit.option(given.toolkit) }
    const turn = new Turn(observation, fiber, options, mode)
    // Before the toolkit is resolved its tools may be unknown, and a client without a hook cannot name them.
    const resolving: TurnOptions = Effect.isEffect(options.toolkit)
      ? { ...options, toolkit: noting(turn, options.toolkit) }
      : options
    const parent = References.currentSpan(fiber)
    // The host's own span around a turn ends with the turn's failure, and tells its values.
    if (parent?._tag === "Span" && parent.name.startsWith(Host.chatPrefix)) {
      if (!HostSpan.mayTell(fiber.getRef(Settings).content)) HostSpan.hideFailures(parent)
    }
    const context = Context.make(Tracer.Tracer, turn.tracer).pipe(
      Context.add(References.CurrentTurn, turn)
    ) as Context.Context<never>
    begun = { turn, options: resolving, context }
  })
  return begun
}

const generate = (original: (options: any) => Effect.Effect<any, any, any>) => (given: TurnOptions) =>
  Effect.withFiber((fiber) => {
    const begun = begin(fiber, given, "generate")
    return begun === undefined ? original(given) : Effect.provideContext(original(begun.options), begun.context)
  })

const stream = (original: (options: any) => Stream.Stream<any, any, any>) => (given: TurnOptions) =>
  Stream.unwrap(
    Effect.withFiber((fiber) => {
      const begun = begin(fiber, given, "stream")
      if (begun === undefined) return Effect.succeed(original(given))
      const { context, options, turn } = begun
      return Effect.succeed(
        observeStream(Stream.provideContext(original(options), context), {
          onChunk: (chunk) => {
            for (const part of chunk) turn.observation.guarded(() => turn.onPart(part))
          },
          onEnd: () => {}
        })
      )
    })
  )

/** The same service, told. */
export const languageModel = <A>(service: A): A => {
  if (!hasFunctions(service, "generateText", "streamText", "generateObject")) return service
  if (Toolkit.instrumented in service) return service
  const model = service as unknown as LanguageModel
  const told = Object.create(Object.getPrototypeOf(service), Object.getOwnPropertyDescriptors(service))
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(told, name, { value, enumerable: true, configurable: true, writable: true })
  }
  define("generateText", generate(model.generateText.bind(service)))
  define("generateObject", generate(model.generateObject.bind(service)))
  define("streamText", stream(model.streamText.bind(service)))
  Object.defineProperty(told, Toolkit.instrumented, { value: true })
  return told
}
