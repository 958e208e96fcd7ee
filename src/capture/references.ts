/** What capture reads from the fiber that runs. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import type { Place } from "../lifecycle/SpanWriter.ts"
import { Settings } from "../settings/settings.ts"
import type { Observation } from "./Observation.ts"
import { ofProcess } from "./Observation.ts"
import type { Turn } from "./Turn.ts"

/** What capture shares: that of the process, unless a layer gives a program one of its own. */
export const CurrentObservation: Context.Reference<Observation> = Context.Reference<Observation>(
  "toolspan/Observation",
  { defaultValue: ofProcess }
)

/** Whose code runs. */
export interface Running {
  /** The turn; a handler runs outside of it. */
  readonly turn: Turn | undefined
  /** The key of the call whose handler runs: its id, and which occurrence of a repeated one. */
  readonly callKey: string | undefined
}

const nobody: Running = { turn: undefined, callKey: undefined }

// One reference for both: each handler's context is copied by the host, and one key more takes 3 kB a call.
const CurrentlyRunning = Context.Reference<Running>("toolspan/Running", { defaultValue: () => nobody })

/** The conversation that the app named. */
export const CurrentConversation: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "toolspan/Conversation",
  { defaultValue: () => undefined }
)

/** The agent that the app named. */
export const CurrentAgent: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "toolspan/Agent",
  { defaultValue: () => undefined }
)

/**
 * A context with the tracer that code runs with, and whose code it is: a handler is outside of the turn that calls it, so
 * what it asks of a model is a turn of its own.
 *
 * Added, not merged: a merge copies the whole context.
 */
export const within = <A>(context: Context.Context<A>, tracer: Tracer.Tracer, running: Running): Context.Context<A> =>
  Context.add(Context.add(context, Tracer.Tracer, tracer), CurrentlyRunning, running) as Context.Context<A>

/** A fiber of any kind. */
export type AnyFiber = Fiber.Fiber<any, any>

/** The turn whose code the fiber runs. */
export const currentTurn = (fiber: AnyFiber): Turn | undefined => fiber.getRef(CurrentlyRunning).turn

/** The key of the call whose handler the fiber runs; `undefined` where nothing is told of the execution. */
export const currentCallKey = (fiber: AnyFiber): string | undefined => fiber.getRef(CurrentlyRunning).callKey

/** Whether the app wants times on its spans. */
export const isTimed = (fiber: AnyFiber): boolean => fiber.getRef(References.TracerTimingEnabled)

/** The clock of a fiber, in nanoseconds since the epoch; 0 where the app switched timing off, as for its own spans. */
export const clock = (fiber: AnyFiber): () => bigint => {
  if (!isTimed(fiber)) return () => 0n
  const service = fiber.getRef(Clock.Clock)
  return () => service.currentTimeNanosUnsafe()
}

/** The span under which the fiber runs. */
export const currentSpan = (fiber: AnyFiber): Tracer.AnySpan | undefined =>
  Context.getOrUndefined(fiber.context, Tracer.ParentSpan)

const modelNames = ["effect/ai/Model/ModelName", "effect/unstable/ai/Model/ModelName"].map((key) =>
  Context.Service<string>(key)
)

/** The model's name that Effect's `Model` tells, on either line. */
export const modelName = (fiber: AnyFiber): string | undefined => {
  for (const key of modelNames) {
    const name: unknown = Context.getOrUndefined(fiber.context, key)
    if (name !== undefined) return typeof name === "string" ? name : undefined
  }
  return undefined
}

/** Whether spans are wanted of this fiber at all. */
export const isTraced = (fiber: AnyFiber): boolean =>
  fiber.getRef(References.TracerEnabled) && fiber.getRef(Settings).enabled

/** Where a span would be written that this fiber opens under `parent`. */
export const place = (fiber: AnyFiber, tracer: Tracer.Tracer, parent: Tracer.AnySpan | undefined): Place => {
  const { content, metrics } = fiber.getRef(Settings)
  return {
    tracer,
    parent,
    sampled: parent?.sampled !== false,
    silent: false,
    annotations: fiber.getRef(References.TracerSpanAnnotations),
    conversation: fiber.getRef(CurrentConversation),
    agent: fiber.getRef(CurrentAgent),
    content,
    metrics: metrics ? fiber.getRef(Metric.MetricRegistry) : undefined
  }
}
