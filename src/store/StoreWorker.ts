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
import * as CorruptFile from "./CorruptFile.ts"
import * as FollowedFile from "./FollowedFile.ts"
import { reasonOf } from "./SqliteFile.ts"
import * as SqliteStore from "./SqliteStore.ts"
import { StoreUnavailable } from "./StoreError.ts"
import { StoreFailure, type StoreOrder, type StoreReply, type StoreThreadData } from "./StoreOrder.ts"
import * as TakenRequest from "./TakenRequest.ts"
import type { TraceStore } from "./TraceStore.ts"

type Order = Exclude<StoreOrder, { readonly kind: "close" | "left" }>

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

const unlogged = (reason: string) =>
  new StoreUnavailable({ path, reason: `its log was deleted while it was open, and ${reason}. Send this one again` })

/** Nothing that was acknowledged goes without a word. */
const farewell = (
  { checkpoint }: SqliteStore.SqliteStore,
  loss: FollowedFile.Loss
): Effect.Effect<void, StoreUnavailable> => {
  switch (loss) {
    case "gone":
      // A file that was moved away keeps all that it got.
      return Effect.andThen(
        Effect.ignore(checkpoint),
        Effect.logWarning(`${path} was deleted or replaced: what comes now goes to a new one.`)
      )
    case "unlogged":
      return Effect.andThen(
        Effect.mapError(checkpoint, ({ reason }) => unlogged(reason)),
        Effect.logWarning(
          `The log of ${path} was deleted while it was open: nothing is lost, it was copied into the file.`
        )
      )
    case "cut":
      return CorruptFile.setAside(
        { path, reason: "it, or its log, was cut while it was open" },
        CorruptFile.identityOf(path)
      )
  }
}

const serve = Effect.gen(function*() {
  const file = yield* FollowedFile.make(path, { open: SqliteStore.make({ path }), farewell })
  post({ number: 0, answer: "open" })
  /** Those that came since the file is not what it was. */
  let waiting: ReadonlyArray<Order> = []
  const take = (order: Order): void => {
    if (waiting.length === 0 && file.isThere()) {
      return answer(order.number, Effect.runSyncExit(Effect.flatMap(file.current, (store) => perform(store, order))))
    }
    if (waiting.length === 0) post({ leave: true })
    waiting = [...waiting, order]
  }
  const goOn = (): void => {
    const orders = waiting
    waiting = []
    const found = Effect.runSyncExit(file.current)
    for (const order of orders) {
      if (Exit.isSuccess(found)) take(order)
      else answer(order.number, found)
    }
  }
  yield* Effect.callback<void>((resume) => {
    parentPort?.on("message", (order: StoreOrder) => {
      if (order.kind === "close") resume(Effect.void)
      else if (order.kind === "left") goOn()
      else take(order)
    })
  })
})

Effect.runFork(Effect.scoped(serve)).addObserver((exit) => {
  if (Exit.isFailure(exit)) answer(0, exit)
  parentPort?.close()
  process.exitCode = 0
})
