/** The guard, where an app turned it on: a broken history is refused, or repaired, before it is sent. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { BrokenHistory } from "../pairing/BrokenHistory.ts"
import type { HistoryFormat } from "../pairing/Check.ts"
import { check } from "../pairing/Check.ts"
import { repair } from "../pairing/Repair.ts"
import type { Violation } from "../pairing/Violation.ts"
import type { WireFormat } from "../pairing/Wire.ts"
import * as SpanName from "../semconv/span.ts"
import type { Guard } from "../settings/settings.ts"
import { Settings } from "../settings/settings.ts"
import * as HostError from "./hostError.ts"
import type { AnyFiber } from "./references.ts"
import * as References from "./references.ts"
import type { ProviderOptions, Tools, TurnOptions } from "./shape.ts"
import { toolsOf } from "./shape.ts"
import * as ToolFacts from "./toolFacts.ts"

/** A way to ask a model. */
export type Method = "generateText" | "generateObject" | "streamText"

const spanNames: Readonly<Record<Method, string>> = {
  generateText: SpanName.turns[0],
  streamText: SpanName.turns[1],
  generateObject: SpanName.turns[2]
}

/** Marks a turn that nobody traces: what its client sends was judged, with the approvals that a wire cannot show. */
const Judged = Context.Reference<boolean>("toolspan/Judged", { defaultValue: () => false })

/** What the guard makes of a history. */
interface Verdict<A> {
  /** The history to send. */
  readonly history: A
  /** What a repair mended in it. */
  readonly mended: ReadonlyArray<Violation>
  /** Why it must not be sent. */
  readonly broken: BrokenHistory | undefined
}

/** What the guard is to do for this fiber; it does not depend on whether spans are wanted. */
const mode = (fiber: AnyFiber): Guard => {
  const settings = fiber.getRef(Settings)
  return settings.enabled ? settings.guard : "off"
}

/** An approval is the turn's: in what the host sends, it has been settled and cut away. */
const approvalScope = "turn"

/** Judges a history. `sent` is false for the prompt of a turn, whose approvals the host still acts upon. */
const judge = <A>(
  fiber: AnyFiber,
  format: HistoryFormat,
  history: A,
  options: { readonly tools: Tools | undefined; readonly sent: boolean }
): Verdict<A> => {
  let verdict: Verdict<A> = { history, mended: [], broken: undefined }
  const wanted = mode(fiber)
  if (wanted === "off") return verdict
  const observation = fiber.getRef(References.CurrentObservation)
  observation.guarded(() => {
    if (wanted === "repair") {
      verdict = { ...repair(history, { format }), broken: undefined }
      if (verdict.mended.length > 0) observation.counters.repairedHistories++
      return
    }
    const tools = options.tools === undefined ? {} : { tools: ToolFacts.ofTools(options.tools).list }
    const found = check(history, { format, ...tools })
    const violations = options.sent ? found.filter(({ scope }) => scope !== approvalScope) : found
    if (violations.length === 0) return
    observation.counters.refusedHistories++
    verdict = { history, mended: [], broken: new BrokenHistory({ violations }) }
  })
  return verdict
}

const mendings = new WeakMap<object, ReadonlyArray<Violation>>()

/** What was mended in this history, when the guard made it. */
export const mendedIn = (history: unknown): ReadonlyArray<Violation> =>
  (typeof history === "object" && history !== null ? mendings.get(history) : undefined) ?? []

/** Ends a turn that must not begin: under the span that the host would have made, with what is wrong as its events. */
const refuseTurn = (
  fiber: AnyFiber,
  method: Method,
  broken: BrokenHistory,
  tools: Tools | undefined
): Effect.Effect<never, unknown> => {
  const refusal = Effect.fail(HostError.make(broken, method))
  if (!References.isTraced(fiber)) return refusal
  const observation = fiber.getRef(References.CurrentObservation)
  return Effect.useSpan(spanNames[method], { kind: "client" }, (span) => {
    observation.guarded(() => {
      observation.counters.turns++
      const violations = broken.violations.map((violation) => ToolFacts.reported(violation, tools))
      const place = References.place(fiber, fiber.getRef(Tracer.Tracer), span)
      observation.writer.violations(place, span, violations, References.clock(fiber)())
    })
    return refusal
  })
}

/** The options that a turn begins with, or what it ends with instead. */
export type TurnVerdict =
  | { readonly options: TurnOptions; readonly refusal: undefined }
  | { readonly options: undefined; readonly refusal: Effect.Effect<never, unknown> }

/** Judges a turn before it begins. */
export const turn = (fiber: AnyFiber, method: Method, options: TurnOptions): TurnVerdict => {
  const tools = toolsOf(options.toolkit)
  const { broken, history, mended } = judge(fiber, "effect", options.prompt, { tools, sent: false })
  if (broken !== undefined) return { options: undefined, refusal: refuseTurn(fiber, method, broken, tools) }
  if (mended.length === 0) return { options, refusal: undefined }
  mendings.set(history as object, mended)
  return { options: { ...options, prompt: history }, refusal: undefined }
}

/** Whether histories are judged in this fiber. */
export const isOn = (fiber: AnyFiber): boolean => mode(fiber) !== "off"

/** What an untraced turn that was judged runs with. */
export const untraced: Context.Context<never> = Context.make(Judged, true) as Context.Context<never>

/**
 * Judges what a provider hook was given: what the host added to the prompt of the turn may have broken it.
 *
 * The faults stand on the turn's span: a request that is not sent has no span, and one that was mended has none of them.
 */
export const request = (
  fiber: AnyFiber,
  method: Method,
  options: ProviderOptions
): ProviderOptions | Effect.Effect<never, unknown> => {
  if (mode(fiber) === "off") return options
  const turn = References.currentTurn(fiber)
  const tools = turn?.tools
  const { broken, history, mended } = judge(fiber, "effect", options.prompt, { tools, sent: true })
  for (const violation of broken?.violations ?? mended) turn?.violations.push(violation)
  if (broken !== undefined) return Effect.fail(HostError.make(broken, method))
  return mended.length === 0 ? options : { ...options, prompt: history }
}

/** Judges the body of a request that is part of no turn. */
export const body = <A>(
  fiber: AnyFiber,
  format: WireFormat,
  method: string,
  value: A
): { readonly value: A; readonly refusal: Effect.Effect<never, unknown> | undefined } => {
  const judged = fiber.getRef(Judged) || References.currentTurn(fiber)?.ended === false
  if (mode(fiber) === "off" || judged) return { value, refusal: undefined }
  const { broken, history } = judge(fiber, format, value, { tools: undefined, sent: true })
  return { value: history, refusal: broken === undefined ? undefined : Effect.fail(HostError.make(broken, method)) }
}
