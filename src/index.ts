/**
 * Traceable AI tool calls for Effect programs.
 *
 * Import the whole module: `import * as Toolspan from "toolspan"`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Flushing from "./boot/flushing.ts"
import * as Client from "./capture/client.ts"
import * as HostError from "./capture/hostError.ts"
import * as LanguageModel from "./capture/languageModel.ts"
import { establish, Observation } from "./capture/Observation.ts"
import * as Once from "./capture/once.ts"
import type { OnceContext } from "./capture/once.ts"
import type { OnceTool } from "./capture/OnceRecord.ts"
import * as Provider from "./capture/provider.ts"
import { CurrentAgent, CurrentConversation, CurrentObservation } from "./capture/references.ts"
import * as Toolkit from "./capture/toolkit.ts"
import type { LedgerCounts } from "./lifecycle/Ledger.ts"
import type { BrokenHistory } from "./pairing/BrokenHistory.ts"
import * as Environment from "./settings/environment.ts"
import type { CarrierStore, SettingsInput } from "./settings/settings.ts"
import { defaults, merge, Settings } from "./settings/settings.ts"
import * as SpanWriter from "./spans/SpanWriter.ts"

export type { OnceContext } from "./capture/once.ts"
export { OnceError } from "./capture/OnceError.ts"
export type { OnceTool } from "./capture/OnceRecord.ts"
export { BrokenHistory } from "./pairing/BrokenHistory.ts"
export type { Carrier, CarrierStore, ContentSettings, Guard, Redactor, SettingsInput } from "./settings/settings.ts"

const makeObservation = (): Observation => new Observation(SpanWriter.make())

establish(makeObservation)

/**
 * Instruments a `LanguageModel` service: every turn of it is told.
 *
 * The service behaves as before; wrapping it twice changes nothing. What the provider package hides (the `chat` span of
 * a request) needs `provider`, `client`, `toolspan/auto` or `toolspan/register` too.
 *
 * @example
 * ```ts
 * import { Effect, Stream } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const service = { generateText: () => Effect.void, generateObject: () => Effect.void, streamText: () => Stream.empty }
 * const told = Toolspan.languageModel(service)
 * console.log(Toolspan.languageModel(told) === told) // true
 * ```
 */
export const languageModel: <A>(service: A) => A = LanguageModel.languageModel

/**
 * Instruments the hooks that a provider package gives `LanguageModel.make`: every request of them is told.
 *
 * @example
 * ```ts
 * import { Effect, Stream } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const hooks = Toolspan.provider({ generateText: () => Effect.succeed([]), streamText: () => Stream.empty })
 * console.log(typeof hooks.generateText) // "function"
 * ```
 */
export const provider: <A>(params: A) => A = Provider.provider

/**
 * Instruments a toolkit, or a toolkit with handlers: every `handle` call is told, also one outside of a turn.
 *
 * A toolkit stays the same object; a toolkit with handlers becomes a new one.
 *
 * @example
 * ```ts
 * import { Effect, Stream } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const toolkit = { tools: {}, handle: () => Effect.succeed(Stream.empty) }
 * console.log(Toolspan.toolkit(toolkit).tools === toolkit.tools) // true
 * ```
 */
export const toolkit: <A>(toolkit: A) => A = Toolkit.any

/**
 * Instruments the service of a provider client, such as `AnthropicClient`: its requests are told as they are on the
 * wire. Any other service is given back as it is.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const client = Toolspan.client({ createMessage: () => Effect.void, createMessageStream: () => Effect.void })
 * console.log(typeof client.createMessage) // "function"
 * ```
 */
export const client: <A>(service: A) => A = Client.client

const told = (service: unknown): unknown => Client.client(LanguageModel.languageModel(service))

/**
 * Instruments every `LanguageModel` and provider client service that a layer makes.
 *
 * What the layer uses inside and does not give out is out of reach: instrument the client's layer by itself.
 *
 * @example
 * ```ts
 * import { Context, Layer } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * class Clock extends Context.Service<Clock, { readonly now: number }>()("app/Clock") {}
 * const layer = Toolspan.instrument(Layer.succeed(Clock, { now: 0 }))
 * console.log(Layer.isLayer(layer)) // true
 * ```
 */
export const instrument = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(
    Effect.map(Layer.build(layer), (context) =>
      Context.makeUnsafe<A>(new Map(Array.from(context.mapUnsafe, ([key, service]) => [key, told(service)]))))
  ) as Layer.Layer<A, E, R>

/**
 * The settings of the programs that it is provided to; what it leaves out comes from the environment.
 *
 * `isolated` gives them a memory of calls of their own, apart from the rest of the process. With `guard` a broken history
 * is not sent: `"strict"` fails the turn (see `toBrokenHistory`), `"repair"` sends what providers accept instead.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const program = Effect.map(Toolspan.stats, (stats) => console.log(stats.openCalls)) // 0
 * await Effect.runPromise(Effect.provide(program, Toolspan.layer({ content: "arguments", isolated: true })))
 * ```
 */
export const layer = (
  options: SettingsInput & { readonly isolated?: boolean | undefined } = {}
): Layer.Layer<never> => {
  const { isolated, ...code } = options
  const settings = Layer.succeed(Settings, merge(code, Environment.current().input, defaults))
  return isolated === true ? Layer.merge(settings, Layer.sync(CurrentObservation, makeObservation)) : settings
}

/**
 * Names the conversation of the turns inside: it is written on their spans, and tells equal call ids apart.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const turn = Effect.succeed("answer").pipe(Toolspan.withConversation("conversation-1"))
 * console.log(await Effect.runPromise(turn)) // "answer"
 * ```
 */
export const withConversation = (id: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, CurrentConversation, id)

/**
 * Names the agent whose turns are inside: it is written on their spans.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const turn = Effect.succeed("answer").pipe(Toolspan.withAgent("planner"))
 * console.log(await Effect.runPromise(turn)) // "answer"
 * ```
 */
export const withAgent = (name: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, CurrentAgent, name)

/**
 * The `BrokenHistory` inside the error of a turn that the guard refused; any other error as it is.
 *
 * With `Toolspan.layer({ guard: "strict" })` a broken history fails before anything is sent, and before any approved call
 * runs, with the host's own `AiError`: its reason is `InvalidUserInputError`, which is not retried and which
 * `Effect.catchReason` catches. This takes the typed refusal out of it, for `Effect.mapError` and `Stream.mapError`:
 * `Effect.catchTag("BrokenHistory", …)` catches it then.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const turn = Effect.fail("no network").pipe(
 *   Effect.mapError(Toolspan.toBrokenHistory),
 *   Effect.catchTag("BrokenHistory", (broken) => Effect.succeed(`${broken.violations.length} faults`))
 * )
 * console.log(await Effect.runPromise(Effect.flip(turn))) // "no network"
 * ```
 */
export const toBrokenHistory: <E>(error: E) => E | BrokenHistory = HostError.toBrokenHistory

/**
 * Lets a handler run at most once for each call: a replay of the call gets the recorded result, and no handler runs.
 *
 * A call is told by its conversation (see `withConversation`; without one, equal ids of two conversations meet), the
 * tool's name, its key and its arguments; a call without an id runs each time. Only successes are recorded, encoded by
 * the tool's success schema (as plain JSON when only the tool's name is given): a call that failed or was interrupted may
 * be tried again. Runs of one call at the same time share one run; across processes that holds as far as the store makes
 * a write visible before the next read. A run that began and whose end is not recorded is never repeated: the call ends
 * with the defect `OnceError`, as it does when the store fails before the handler runs. `stats.replays` counts.
 *
 * The store is Effect's `KeyValueStore`, or anything with its `get`, `set` and `remove` (texts).
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const entries = new Map<string, string>()
 * const store = {
 *   get: (key: string) => Effect.sync(() => entries.get(key)),
 *   set: (key: string, value: string) => Effect.sync(() => void entries.set(key, value)),
 *   remove: (key: string) => Effect.sync(() => void entries.delete(key))
 * }
 * let sent = 0
 * const send = Toolspan.once(store)("send_mail", (mail: { readonly to: string }) =>
 *   Effect.sync(() => `${mail.to}: ${++sent}`))
 *
 * const call = send({ to: "ada" }, { toolCallId: "call_1" })
 * console.log(await Effect.runPromise(Effect.all([call, call]))) // ["ada: 1", "ada: 1"]
 * ```
 */
export const once: (store: CarrierStore) => <Params, HandlerContext extends OnceContext, A, E, R>(
  tool: OnceTool | string,
  handler: (params: Params, context: HandlerContext) => Effect.Effect<A, E, R>
) => (params: Params, context: HandlerContext) => Effect.Effect<A, E, R> = Once.once

/** What toolspan counted since the process, or the layer with a memory of its own, began. */
export interface Stats {
  readonly turns: number
  readonly executions: number
  /** Calls that still wait for an answer, an execution, or a request that carries their result. */
  readonly openCalls: number
  /** Calls forgotten because there were too many, or for too long. */
  readonly evicted: number
  readonly expired: number
  /** Approvals and answers of calls that had too many of them (32), and calls of histories that had too many (4,096; 64 in a store). */
  readonly droppedApprovals: number
  readonly untrackedCalls: number
  /** Events and links that did not fit on their span: 20 violations, 128 links to results, 32 preliminary results. */
  readonly droppedViolations: number
  readonly droppedLinks: number
  readonly droppedPreliminaries: number
  /** Calls of one response on the wire that were not followed: beyond 1,024. */
  readonly droppedWireCalls: number
  /** Signals that made no sense for their call, or were too many for it (32 executions, 32 results), by reason. */
  readonly refused: LedgerCounts["refused"]
  /** Carriers from other processes that were broken, foreign, stale or could not be read or written. */
  readonly carriersIgnored: number
  /** Histories that the guard refused to send, and those that it repaired. */
  readonly refusedHistories: number
  readonly repairedHistories: number
  /** Results that `once` gave without running a handler. */
  readonly replays: number
  /** Faults inside toolspan that were kept away from the app. */
  readonly internalErrors: number
}

/**
 * The counts of what toolspan saw, remembered, forgot and refused.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const stats = await Effect.runPromise(Toolspan.stats)
 * console.log(stats.internalErrors) // 0
 * ```
 */
export const stats: Effect.Effect<Stats> = Effect.map(CurrentObservation, ({ counters, dropped, ledger }) => {
  const { dropped: droppedApprovals, evicted, expired, open, refused } = ledger.counts()
  return {
    turns: counters.turns,
    executions: counters.executions,
    openCalls: open,
    evicted,
    expired,
    droppedApprovals,
    untrackedCalls: counters.untrackedCalls,
    droppedViolations: dropped.violations,
    droppedLinks: dropped.links,
    droppedPreliminaries: dropped.preliminaries,
    droppedWireCalls: dropped.wireCalls,
    refused,
    carriersIgnored: counters.carriersIgnored,
    refusedHistories: counters.refusedHistories,
    repairedHistories: counters.repairedHistories,
    replays: counters.replays,
    internalErrors: counters.internalErrors
  }
})

/**
 * Sends every span that has ended so far, when `toolspan/register` runs the exporter; succeeds also when that fails.
 *
 * For places that freeze a process between two requests (AWS Lambda and the like); a process that ends is flushed by
 * itself. Without `register` the exporter is the app's own, and so is its flush.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import * as Toolspan from "toolspan"
 *
 * const handler = Effect.succeed("answer").pipe(Effect.ensuring(Toolspan.flush))
 * console.log(await Effect.runPromise(handler)) // "answer"
 * ```
 */
export const flush: Effect.Effect<void> = Effect.promise(Flushing.flush)
