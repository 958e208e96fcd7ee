/**
 * The writing thread of a store: decodes requests and puts them into the file, so that neither holds up the thread that
 * receives and answers.
 */
import process from "node:process"
import { parentPort, workerData } from "node:worker_threads"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as FollowedFile from "./FollowedFile.ts"
import { reasonOf } from "./SqliteFile.ts"
import * as SqliteStore from "./SqliteStore.ts"
import { StoreUnavailable } from "./StoreError.ts"
import { StoreFailure, type StoreOrder, type StoreReply, type StoreThreadData } from "./StoreOrder.ts"
import * as TakenRequest from "./TakenRequest.ts"
import type { TraceStore } from "./TraceStore.ts"

type Order = Exclude<StoreOrder, { readonly kind: "close" }>

const { path } = workerData as StoreThreadData

const post = (reply: StoreReply): void => parentPort?.postMessage(reply)

const encode = Schema.encodeSync(StoreFailure)

const answer = <A>(number: number, exit: Exit.Exit<A, typeof StoreFailure.Type>): void => {
  if (Exit.isSuccess(exit)) return post({ number, answer: exit.value })
  const found = Cause.findErrorOption(exit.cause)
  const error = found._tag === "Some"
    ? found.value
    : new StoreUnavailable({ path, reason: reasonOf(Cause.squash(exit.cause)) })
  post({ number, error: encode(error) })
}

const perform = (store: TraceStore.Shape, order: Order): Effect.Effect<unknown, typeof StoreFailure.Type> => {
  switch (order.kind) {
    case "take":
      return TakenRequest.take(store, order.asked.body, order.asked.encoding)
    case "append":
      return store.append(order.asked)
    case "drop":
      return store.drop(order.asked.limits, order.asked.atMost)
  }
}

let opened = false

const open = Effect.suspend(() => {
  const make = SqliteStore.make({ path })
  if (opened) {
    return Effect.andThen(Effect.logWarning(`${path} was deleted or replaced: what comes now goes to a new one.`), make)
  }
  opened = true
  return make
})

const serve = Effect.gen(function*() {
  const file = yield* FollowedFile.make(path, open)
  post({ number: 0, answer: "open" })
  yield* Effect.callback<void>((resume) => {
    parentPort?.on("message", (order: StoreOrder) => {
      if (order.kind === "close") return resume(Effect.void)
      answer(order.number, Effect.runSyncExit(Effect.flatMap(file.current, (store) => perform(store, order))))
    })
  })
})

Effect.runFork(Effect.scoped(serve)).addObserver((exit) => {
  if (Exit.isFailure(exit)) answer(0, exit)
  parentPort?.close()
  process.exitCode = 0
})
