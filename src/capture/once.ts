/** Handlers that run one call at most once. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fingerprint from "../lifecycle/Fingerprint.ts"
import * as Key from "../pairing/Key.ts"
import type { CarrierStore } from "../settings/settings.ts"
import { OnceError } from "./OnceError.ts"
import type { Codec, OnceTool } from "./OnceRecord.ts"
import * as OnceRecord from "./OnceRecord.ts"
import * as References from "./references.ts"

/** What a handler gets of the host besides its parameters. */
export interface OnceContext {
  readonly toolCallId?: string | undefined
}

type Running = Map<string, Deferred.Deferred<unknown, unknown>>

/** What runs in this process, by store: a store alone cannot tell two runs at one time apart. */
const running = new WeakMap<CarrierStore, Running>()

const runningIn = (store: CarrierStore): Running => {
  let all = running.get(store)
  if (all === undefined) running.set(store, all = new Map())
  return all
}

/** The key of a call in the store; the arguments are in it because a trimmed history counts its repeated ids anew. */
const keyOf = (conversation: string | undefined, tool: string, call: string, params: unknown): string =>
  `toolspan/once${JSON.stringify([conversation ?? null, tool, call, Fingerprint.make(params) ?? null])}`

const replayed = <A>(result: A) =>
  Effect.map(References.CurrentObservation, (observation) => {
    observation.counters.replays++
    return result
  })

/** Runs a handler for whom this fiber is the first in the process. */
const first = <A, E, R>(
  store: CarrierStore,
  codec: Codec,
  tool: string,
  key: string,
  handler: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const die = (reason: OnceError["reason"]) => Effect.die(new OnceError({ reason, tool, key }))
  const asking = <B>(effect: Effect.Effect<B, unknown>) => Effect.catch(effect, () => die("store"))
  const run = Effect.uninterruptibleMask((restore) =>
    asking(store.set(key, OnceRecord.started)).pipe(
      Effect.andThen(restore(handler)),
      Effect.onExit((exit) =>
        // What cannot be recorded stays a run that began: the result is given, and never made a second time.
        Effect.ignore(
          Exit.isSuccess(exit)
            ? Effect.flatMap(OnceRecord.done(codec, exit.value), (text) => store.set(key, text))
            : store.remove(key)
        )
      )
    )
  )
  return Effect.flatMap(asking(store.get(key)), (text) => {
    if (text === undefined) return run
    return Effect.flatMap(OnceRecord.read(codec, text), (record) => {
      switch (record._tag) {
        case "Done":
          return replayed(record.result as A)
        case "Started":
          return die("unfinished")
        case "Unreadable":
          return die("unreadable")
      }
    })
  })
}

/** Shares one run among all that ask for it at one time; who waits for a run that is interrupted runs it anew. */
const shared = <A, E, R>(all: Running, key: string, run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // Whoever is first must also be the one who says that it is over, or the others wait for ever.
  Effect.uninterruptibleMask((restore) => {
    const other = all.get(key) as Deferred.Deferred<A, E> | undefined
    if (other !== undefined) {
      return restore(Effect.matchCauseEffect(Deferred.await(other), {
        onFailure: (cause): Effect.Effect<A, E, R> =>
          Cause.hasInterruptsOnly(cause) ? shared(all, key, run) : Effect.failCause(cause),
        onSuccess: replayed
      }))
    }
    const mine = Deferred.makeUnsafe<A, E>()
    all.set(key, mine as Deferred.Deferred<unknown, unknown>)
    return Effect.onExit(restore(run), (exit) =>
      Effect.sync(() => {
        all.delete(key)
        Deferred.doneUnsafe(mine, exit)
      }))
  })

/** The handler, run at most once for each call; see `Toolspan.once`. */
export const once = (store: CarrierStore) =>
<Params, HandlerContext extends OnceContext, A, E, R>(
  tool: OnceTool | string,
  handler: (params: Params, context: HandlerContext) => Effect.Effect<A, E, R>
): (params: Params, context: HandlerContext) => Effect.Effect<A, E, R> => {
  const known: OnceTool = typeof tool === "string" ? { name: tool } : tool
  const { name } = known
  const codec = OnceRecord.codecOf(known)
  return (params, context) =>
    Effect.withFiber((fiber) => {
      const id = context.toolCallId
      if (id === undefined || id === "") return handler(params, context)
      const call = References.currentCallKey(fiber) ?? Key.ofId(id, 1)
      const key = keyOf(fiber.getRef(References.CurrentConversation), name, call, params)
      const run = Effect.suspend(() => handler(params, context))
      return shared(runningIn(store), key, first(store, codec, name, key, run))
    })
}
