/** Provider hooks, the parameters of `LanguageModel.make`, whose requests are told. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Guard from "./guard.ts"
import type { Observed } from "./observeStream.ts"
import { observing } from "./observeStream.ts"
import type { AnyFiber } from "./references.ts"
import * as References from "./references.ts"
import type { Request } from "./Request.ts"
import type { ProviderHooks, ProviderOptions } from "./shape.ts"
import { hasFunctions } from "./shape.ts"
import { instrumented } from "./toolkit.ts"
import { withMethods } from "./withMethods.ts"

const open = (fiber: AnyFiber, options: ProviderOptions): Request | undefined => {
  const turn = References.currentTurn(fiber)
  if (turn === undefined || turn.ended || turn.span === undefined) return undefined
  let request: Request | undefined
  turn.observation.guarded(() => {
    request = turn.openRequest(options)
    request.options = options
  })
  return request
}

const end = (request: Request, exit: Exit.Exit<unknown, unknown>): void =>
  request.observation.guarded(() => request.latest.end(exit))

/** A request outside of a turn that is told, in a program without a guard, is the host's own as it stands. */
const isTold = (fiber: AnyFiber): boolean => References.currentTurn(fiber) !== undefined || Guard.isOn(fiber)

const generate = (original: ProviderHooks["generateText"]): ProviderHooks["generateText"] => (given) =>
  Effect.withFiber((fiber) => {
    if (!isTold(fiber)) return original(given)
    const options = Guard.request(fiber, "generateText", given)
    if (Effect.isEffect(options)) return options
    const request = open(fiber, options)
    if (request === undefined) return original(options)
    const answer: unknown = original(options)
    if (!Effect.isEffect(answer)) {
      const wrong = Exit.die(new TypeError("generateText of the provider returned no Effect"))
      end(request, wrong)
      return wrong
    }
    return Effect.onExit(answer as Effect.Effect<any, any, any>, (exit) => {
      if (exit._tag === "Success" && Array.isArray(exit.value)) {
        for (const part of exit.value) request.observation.guarded(() => request.latest.onPart(part, false))
      }
      end(request, exit)
      return Effect.void
    })
  })

const stream = (original: ProviderHooks["streamText"]): ProviderHooks["streamText"] => (given) =>
  observing((fiber): Observed<any> | Effect.Effect<never, any> => {
    if (!isTold(fiber)) return { stream: original(given) }
    const options = Guard.request(fiber, "streamText", given)
    if (Effect.isEffect(options)) return options
    const request = open(fiber, options)
    if (request === undefined) return { stream: original(options) }
    return {
      stream: original(options),
      observer: {
        onChunk: (chunk) => {
          for (const part of chunk) request.observation.guarded(() => request.latest.onPart(part, true))
        },
        onEnd: (exit) => end(request, exit)
      }
    }
  })

/** The same hooks, told. */
export const provider = <A>(params: A): A => {
  if (!hasFunctions(params, "generateText", "streamText") || instrumented in params) return params
  const hooks = params as unknown as ProviderHooks
  return withMethods(hooks, {
    generateText: generate(hooks.generateText.bind(params)),
    streamText: stream(hooks.streamText.bind(params))
  }, instrumented) as A
}
