/** LanguageModel services whose turns are told. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fromPrompt } from "../pairing/EffectPrompt.ts"
import { pair } from "../pairing/Pairing.ts"
import * as Host from "../semconv/host.ts"
import type { CarrierStore } from "../settings/settings.ts"
import { Settings } from "../settings/settings.ts"
import * as Guard from "./guard.ts"
import * as HostSpan from "./hostSpan.ts"
import * as InBand from "./inBand.ts"
import type { Observed } from "./observeStream.ts"
import { observing } from "./observeStream.ts"
import type { AnyFiber } from "./references.ts"
import * as References from "./references.ts"
import type { LanguageModel, TurnOptions } from "./shape.ts"
import { hasFunctions, toolsOf } from "./shape.ts"
import * as StoredCarrier from "./storedCarrier.ts"
import * as Toolkit from "./toolkit.ts"
import { Turn } from "./Turn.ts"
import { withMethods } from "./withMethods.ts"

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

interface Begun {
  readonly turn: Turn
  readonly options: TurnOptions
  /** What the turn's own code runs in. */
  readonly surroundings: (context: Context.Context<any>) => Context.Context<any>
}

const begin = (
  fiber: AnyFiber,
  given: TurnOptions,
  mode: "generate" | "stream",
  stored: ReadonlyMap<object, unknown> | undefined
): Begun | undefined => {
  if (!References.isTraced(fiber)) return undefined
  const observation = fiber.getRef(References.CurrentObservation)
  let begun: Begun | undefined
  observation.guarded(() => {
    const { prompt } = given
    const options: TurnOptions = given.toolkit === undefined
      ? { ...given, prompt }
      : { ...given, prompt, toolkit: Toolkit.option(given.toolkit) }
    const turn = new Turn(observation, fiber, options, mode, stored)
    for (const violation of Guard.mendedIn(prompt)) turn.violations.push(violation)
    // Before the toolkit is resolved its tools may be unknown, and a client without a hook cannot name them.
    const resolving: TurnOptions = {
      ...options,
      // The turn reads the carriers of its history; nobody behind it does.
      prompt: fiber.getRef(Settings).carrier === "in-band" ? InBand.clean(prompt) : prompt,
      ...(Effect.isEffect(options.toolkit) ? { toolkit: noting(turn, options.toolkit) } : undefined)
    }
    const parent = References.currentSpan(fiber)
    // The host's own span around a turn ends with the turn's failure, and tells its values.
    if (parent?._tag === "Span" && parent.name.startsWith(Host.chatPrefix)) {
      if (!HostSpan.mayTell(fiber.getRef(Settings).content)) HostSpan.hideFailures(parent)
    }
    begun = {
      turn,
      options: resolving,
      surroundings: (context) => References.within(context, turn.tracer, { turn, callKey: undefined })
    }
  })
  return begun
}

const storeOf = (fiber: AnyFiber): CarrierStore | undefined => {
  const { carrier } = fiber.getRef(Settings)
  return typeof carrier === "object" && References.isTraced(fiber) ? carrier.store : undefined
}

/** What the store has for the history of a turn. */
const load = (fiber: AnyFiber, store: CarrierStore, prompt: unknown) =>
  StoredCarrier.load(
    fiber.getRef(References.CurrentObservation),
    store,
    fiber.getRef(References.CurrentConversation),
    pair(fromPrompt(prompt))
  )

const afterwards = (begun: Begun, store: CarrierStore): Effect.Effect<void> =>
  Effect.suspend(() => StoredCarrier.save(begun.turn.observation, store, begun.turn.changes))

/** Whether there is anything to do for a turn of this fiber: else it is the host's own, as it stands. */
const isTold = (fiber: AnyFiber): boolean => References.isTraced(fiber) || Guard.isOn(fiber)

const generate =
  (original: (options: any) => Effect.Effect<any, any, any>, method: Guard.Method) => (options: TurnOptions) =>
    Effect.withFiber((fiber) => {
      if (!isTold(fiber)) return original(options)
      const { options: given, refusal } = Guard.turn(fiber, method, { ...options, prompt: replayable(options.prompt) })
      if (refusal !== undefined) return refusal
      const run = (
        stored?: ReadonlyMap<object, unknown>
      ): { begun?: Begun | undefined; effect: Effect.Effect<any, any, any> } => {
        const begun = begin(fiber, given, "generate", stored)
        return begun === undefined
          ? { effect: Effect.provideContext(original(given), Guard.untraced) }
          : { begun, effect: Effect.updateContext(original(begun.options), begun.surroundings) }
      }
      const store = storeOf(fiber)
      if (store === undefined) return run().effect
      return Effect.flatMap(load(fiber, store, given.prompt), (stored) => {
        const { begun, effect } = run(stored)
        return begun === undefined ? effect : Effect.onExit(effect, () => afterwards(begun, store))
      })
    })

const stream = (original: (options: any) => Stream.Stream<any, any, any>) => (options: TurnOptions) =>
  observing((fiber): Observed<any> | Effect.Effect<Observed<any>, any> => {
    if (!isTold(fiber)) return { stream: original(options) }
    const { options: given, refusal } = Guard.turn(fiber, "streamText", {
      ...options,
      prompt: replayable(options.prompt)
    })
    if (refusal !== undefined) return refusal
    const store = storeOf(fiber)
    const run = (stored?: ReadonlyMap<object, unknown>): Observed<any> => {
      const begun = begin(fiber, given, "stream", stored)
      if (begun === undefined) return { stream: Stream.provideContext(original(given), Guard.untraced) }
      const { surroundings, turn } = begun
      return {
        stream: original(begun.options),
        surroundings,
        observer: {
          onChunk: (chunk) => {
            for (const part of chunk) turn.observation.guarded(() => turn.onPart(part))
          },
          onEnd: () => {},
          afterwards: store === undefined ? undefined : afterwards(begun, store)
        }
      }
    }
    return store === undefined ? run() : Effect.map(load(fiber, store, given.prompt), run)
  })

/** The same service, told. */
export const languageModel = <A>(service: A): A => {
  if (!hasFunctions(service, "generateText", "streamText", "generateObject")) return service
  if (Toolkit.instrumented in service) return service
  const model = service as unknown as LanguageModel
  const methods = {
    generateText: generate(model.generateText.bind(service), "generateText"),
    generateObject: generate(model.generateObject.bind(service), "generateObject"),
    streamText: stream(model.streamText.bind(service))
  }
  return withMethods(service, methods, Toolkit.instrumented) as A
}
