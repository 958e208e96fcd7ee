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
import { reasonOf } from "./SqliteFile.ts"
import * as SqliteStore from "./SqliteStore.ts"
import { StoreUnavailable } from "./StoreError.ts"
import { StoreFailure, type StoreOrder, type StoreReply, type StoreThreadData } from "./StoreOrder.ts"
import * as TakenRequest from "./TakenRequest.ts"
import type { TraceStore } from "./TraceStore.ts"

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

const perform = (store: TraceStore.Shape, order: Exclude<StoreOrder, { readonly kind: "close" }>): void => {
  switch (order.kind) {
    case "take":
      return answer(order.number, Effect.runSyncExit(TakenRequest.take(store, order.asked.body, order.asked.encoding)))
    case "append":
      return answer(order.number, Effect.runSyncExit(store.append(order.asked)))
    case "drop":
      return answer(order.number, Effect.runSyncExit(store.drop(order.asked.limits, order.asked.atMost)))
  }
}

const serve = Effect.gen(function*() {
  const store = yield* SqliteStore.make({ path })
  post({ number: 0, answer: "open" })
  yield* Effect.callback<void>((resume) => {
    parentPort?.on("message", (order: StoreOrder) => {
      if (order.kind === "close") resume(Effect.void)
      else perform(store, order)
    })
  })
})

Effect.runFork(Effect.scoped(serve)).addObserver((exit) => {
  if (Exit.isFailure(exit)) answer(0, exit)
  parentPort?.close()
  process.exitCode = 0
})
