/**
 * A store in one SQLite file that is written by a thread of its own: the thread that receives and answers never waits
 * for the disk, and on two processors decoding and storing run beside the network.
 */
import { Worker } from "node:worker_threads"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Capabilities } from "./Capability.ts"
import * as FollowedFile from "./FollowedFile.ts"
import { reasonOf } from "./SqliteFile.ts"
import * as SqliteStore from "./SqliteStore.ts"
import { type OpenError, StoreUnavailable } from "./StoreError.ts"
import { type Kind, StoreFailure, type StoreOrder, type StoreOrders, type StoreReply } from "./StoreOrder.ts"
import type { TraceReader } from "./TraceReader.ts"
import type { TraceStore } from "./TraceStore.ts"

/**
 * Megabytes of the thread's young generation. Decoded spans die young: V8 would let it grow to 96 MB with no gain (the
 * receiver had 60 MB more with its own choice, and no more speed).
 */
const youngMegabytes = 6

const location = (): URL =>
  import.meta.url.endsWith(".ts")
    ? new URL("./StoreWorker.ts", import.meta.url)
    : new URL("./StoreWorker.js", import.meta.url)

/** What was under way may be stored or not: sent again, a span that is there already counts once. */
const whenEnded = "What was acknowledged is kept; the next request starts a new thread. Send this one again"

type Failure = typeof StoreFailure.Type

const decode = Schema.decodeUnknownSync(StoreFailure)

interface Thread {
  readonly ask: <K extends Kind>(
    kind: K,
    asked: StoreOrders[K]["asked"],
    transfer?: ReadonlyArray<ArrayBuffer>
  ) => Effect.Effect<StoreOrders[K]["answer"], Failure>
  readonly opened: Deferred.Deferred<unknown, Failure>
  readonly hasEnded: () => boolean
  readonly close: Effect.Effect<void>
}

/** Starts a thread; `leave` closes the file where it is read. */
const start = (path: string, leave: () => void): Thread => {
  const opened = Deferred.makeUnsafe<unknown, Failure>()
  const waiting = new Map<number, (answer: Effect.Effect<unknown, Failure>) => void>()
  waiting.set(0, (answer) => Deferred.doneUnsafe(opened, answer))
  let last = 0
  let ended: StoreUnavailable | undefined
  let usable = true
  const worker = new Worker(location(), {
    workerData: { path },
    resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes }
  })
  const fail = (reason: string): void => {
    ended ??= new StoreUnavailable({ path, reason: `its writing thread ended: ${reason}. ${whenEnded}` })
    for (const resume of waiting.values()) resume(Effect.fail(ended))
    waiting.clear()
  }
  worker.on("message", (reply: StoreReply) => {
    if ("leave" in reply) {
      leave()
      return post({ kind: "left" }, [])
    }
    const resume = waiting.get(reply.number)
    waiting.delete(reply.number)
    // A thread that could not open the file ends by itself, a little later.
    if (reply.number === 0 && "error" in reply) usable = false
    resume?.("error" in reply ? Effect.fail(decode(reply.error)) : Effect.succeed(reply.answer))
  })
  worker.on("error", (error) => fail(error instanceof Error ? error.message : String(error)))
  worker.on("exit", (code) => fail(`exit code ${code}`))
  const post = (order: StoreOrder, transfer: ReadonlyArray<ArrayBuffer>): void => worker.postMessage(order, transfer)
  return {
    opened,
    hasEnded: () => ended !== undefined || !usable,
    ask: (kind, asked, transfer = []) =>
      Effect.callback<unknown, Failure>((resume) => {
        if (ended !== undefined) return resume(Effect.fail(ended))
        const number = ++last
        try {
          post({ kind, number, asked } as StoreOrder, transfer)
          waiting.set(number, resume)
        } catch (error) {
          resume(Effect.fail(new StoreUnavailable({ path, reason: reasonOf(error) })))
        }
      }) as Effect.Effect<never, Failure>,
    close: Effect.callback<void>((resume) => {
      if (ended !== undefined) return resume(Effect.void)
      worker.once("exit", () => resume(Effect.void))
      post({ kind: "close" }, [])
    })
  }
}

/** A body that can be handed over without a copy: one that shares its memory with others is copied. */
const owned = (body: Uint8Array): Uint8Array<ArrayBuffer> =>
  body.buffer instanceof ArrayBuffer && body.byteLength === body.buffer.byteLength
    ? new Uint8Array(body.buffer)
    : Uint8Array.from(body)

/** Asks the reader that there is at the time. */
const readerOf = (
  capabilities: Capabilities,
  reader: Effect.Effect<TraceReader.Shape, StoreUnavailable>
): TraceReader.Shape => ({
  capabilities,
  span: (address) => Effect.flatMap(reader, (one) => one.span(address)),
  trace: (traceId) => Effect.flatMap(reader, (one) => one.trace(traceId)),
  findCalls: (filter, page) => Effect.flatMap(reader, (one) => one.findCalls(filter, page)),
  countCalls: (filter, atMost) => Effect.flatMap(reader, (one) => one.countCalls(filter, atMost)),
  changedCalls: (after, limit) => Effect.flatMap(reader, (one) => one.changedCalls(after, limit)),
  figures: (limit) => Effect.flatMap(reader, (one) => one.figures(limit)),
  findViolations: (filter, limit) => Effect.flatMap(reader, (one) => one.findViolations(filter, limit)),
  countViolations: (filter) => Effect.flatMap(reader, (one) => one.countViolations(filter)),
  violationKinds: Effect.flatMap(reader, (one) => one.violationKinds),
  conversationTraces: (conversation, limit) =>
    Effect.flatMap(reader, (one) => one.conversationTraces(conversation, limit)),
  linksTo: (address) => Effect.flatMap(reader, (one) => one.linksTo(address)),
  stats: Effect.flatMap(reader, (one) => one.stats)
})

/**
 * Opens the file as `SqliteStore.make` does. A thread that dies fails what it was asked; the next order starts a new one. A body that is taken belongs to the store: its memory is handed over.
 */
export const make = Effect.fnUntraced(function*(options: SqliteStore.Options) {
  const { path } = options
  const run = Effect.runSyncWith(yield* Effect.context<never>())
  let reading: FollowedFile.FollowedFile<TraceReader.Shape, OpenError> | undefined
  const leave = (): void => {
    if (reading !== undefined) run(Effect.orDie(reading.leave))
  }
  let thread: Thread = yield* Effect.acquireRelease(
    Effect.sync(() => start(path, leave)),
    (): Effect.Effect<void> => thread.close
  )
  const openError = (error: Failure): OpenError =>
    error._tag === "NotOtlp" || error._tag === "TooManyValues"
      ? new StoreUnavailable({ path, reason: error.message })
      : error
  yield* Effect.mapError(Deferred.await(thread.opened), openError)
  const file = reading = yield* FollowedFile.make(path, { open: SqliteStore.makeReader(options) })
  const startAgain = Effect.suspend(() => {
    if (thread.hasEnded()) thread = start(path, leave)
    return Deferred.await(thread.opened)
  })
  const ask: Thread["ask"] = (kind, asked, transfer) =>
    Effect.suspend(() =>
      thread.hasEnded()
        ? Effect.flatMap(startAgain, () => thread.ask(kind, asked, transfer))
        : thread.ask(kind, asked, transfer)
    )
  const unavailable = (error: Failure): StoreUnavailable =>
    error._tag === "StoreUnavailable" ? error : new StoreUnavailable({ path, reason: error.message })
  /** The thread sees to a file that is not what it was. */
  const reader = Effect.suspend(() =>
    file.isThere() ? file.current : Effect.andThen(file.leave, Effect.andThen(ask("append", []), file.current))
  ).pipe(Effect.mapError(unavailable))
  return {
    ...readerOf((yield* file.current).capabilities, reader),
    append: (rows) => Effect.mapError(ask("append", rows), unavailable),
    drop: (limits, atMost) => Effect.mapError(ask("drop", { limits, atMost }), unavailable),
    take: (body, encoding) =>
      Effect.suspend(() => {
        const given = owned(body)
        return Effect.mapError(
          ask("take", { body: given, encoding }, [given.buffer]),
          (error) => error._tag === "NotOtlp" || error._tag === "TooManyValues" ? error : unavailable(error)
        )
      })
  } satisfies TraceStore.Shape
}) satisfies (options: SqliteStore.Options) => Effect.Effect<TraceStore.Shape, OpenError, Scope.Scope>
