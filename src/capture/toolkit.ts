/** Toolkits whose `handle` is told as an execution. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as Beginning from "./beginning.ts"
import type { Execution } from "./Execution.ts"
import type { Observation } from "./Observation.ts"
import { observeStream } from "./observeStream.ts"
import * as References from "./references.ts"
import type { Handle, HandlerResult, WithHandler } from "./shape.ts"
import { hasFunctions, isWithHandler } from "./shape.ts"

/** Marks what is instrumented already, by this or another copy of toolspan. */
export const instrumented: unique symbol = Symbol.for("toolspan/instrumented") as never

const watched = (
  observation: Observation,
  execution: Execution,
  unread: () => void,
  stream: Stream.Stream<HandlerResult, any, any>
): Stream.Stream<HandlerResult, any, any> =>
  observeStream(stream, {
    onStart: unread,
    onChunk: (chunk) =>
      observation.guarded(() => {
        for (const result of chunk) execution.onResult(result)
      }),
    onEnd: (exit) => observation.guarded(() => execution.onEnd(exit))
  })

const handleOf = (toolkit: WithHandler): Handle => {
  const handle: Handle = (name, params, toolCallId, options) => {
    const original = toolkit.handle(name, params, toolCallId, options)
    // What is no effect fails where the host uses it, as without us.
    return Effect.isEffect(original) ? told(toolkit, original, name, params, toolCallId) : original
  }
  return Object.assign(handle, { [instrumented]: true })
}

const told = (
  toolkit: WithHandler,
  original: ReturnType<Handle>,
  name: string,
  params: unknown,
  toolCallId: string | undefined
): ReturnType<Handle> =>
  Effect.withFiber((fiber) => {
    if (!References.isTraced(fiber)) return original
    const observation = fiber.getRef(References.CurrentObservation)
    let started: Beginning.Begun | undefined
    observation.guarded(() => {
      started = Beginning.execution(observation, fiber, toolkit.tools, name, params, toolCallId)
    })
    if (started === undefined) return original
    const { execution, tracer } = started
    // The host starts the handler before anyone reads its results: when nobody does, or the call is interrupted
    // first, it ends with the calling fiber.
    const unread = fiber.addObserver((exit) => observation.guarded(() => execution.onEnd(exit)))
    return Effect.matchCauseEffect(
      Effect.updateContext(original, (context) =>
        Context.add(
          References.within(context, tracer, { turn: undefined, callKey: execution.tracked.call.identity.key }),
          Tracer.ParentSpan,
          execution.handlerSpan
        )),
      {
        onFailure: (cause) => {
          unread()
          observation.guarded(() => execution.onEnd(Exit.failCause(cause), true))
          return Effect.failCause(cause)
        },
        onSuccess: (stream) => Effect.succeed(watched(observation, execution, unread, stream))
      }
    )
  })

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** An object of the app's own class with another `handle`: its private state stays with it. */
const withOther = (toolkit: WithHandler, handle: Handle): WithHandler =>
  new Proxy({} as WithHandler, {
    get: (_, key) => {
      if (key === "handle") return handle
      const value: unknown = Reflect.get(toolkit, key, toolkit)
      return typeof value === "function" ? value.bind(toolkit) : value
    },
    has: (_, key) => key in toolkit,
    getPrototypeOf: () => Object.getPrototypeOf(toolkit)
  })

/** The same toolkit with handlers, told. */
export const withHandler = (toolkit: WithHandler): WithHandler => {
  if (instrumented in toolkit.handle) return toolkit
  const handle = handleOf(toolkit)
  return isPlain(toolkit) ? { ...toolkit, handle } : withOther(toolkit, handle)
}

const resolved = (toolkit: unknown): unknown => isWithHandler(toolkit) ? withHandler(toolkit) : toolkit

/** A toolkit option of a turn: a toolkit with handlers, or an effect of one. */
export const option = (toolkit: unknown): unknown => {
  if (isWithHandler(toolkit)) return withHandler(toolkit)
  return Effect.isEffect(toolkit) ? Effect.map(toolkit as Effect.Effect<unknown, any, any>, resolved) : toolkit
}

const evaluate = "~effect/Effect/evaluate"

/**
 * A toolkit, or a toolkit with handlers, whose `handle` is told wherever it is called.
 *
 * A toolkit stays the same object, so that its layers, its type and its tools stay the app's own: only what it
 * evaluates to is told.
 */
export const any = <A>(toolkit: A): A => {
  if (isWithHandler(toolkit)) return withHandler(toolkit) as A
  if (!hasFunctions(toolkit, evaluate) || instrumented in toolkit) return toolkit
  const original = toolkit[evaluate] as (fiber: unknown) => Effect.Effect<unknown, any, any>
  const told = changeable(toolkit)
  told[evaluate] = function(this: unknown, fiber: unknown) {
    return Effect.map(original.call(this, fiber), resolved)
  }
  told[instrumented] = true
  return told as A
}

/** The toolkit itself, or a copy of one that is frozen. */
const changeable = (toolkit: object): Record<PropertyKey, unknown> => {
  if (Object.isExtensible(toolkit)) return toolkit as Record<PropertyKey, unknown>
  const copy = Object.setPrototypeOf(function() {}, Object.getPrototypeOf(toolkit))
  for (const key of Reflect.ownKeys(toolkit)) {
    if (key === "prototype" || key === "length" || key === "name") continue
    Object.defineProperty(copy, key, {
      ...Object.getOwnPropertyDescriptor(toolkit, key),
      writable: true,
      configurable: true
    })
  }
  return copy
}
