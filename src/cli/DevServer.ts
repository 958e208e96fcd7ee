/** The server of `toolspan dev`: receiver, API and page on one port, over one store. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Query from "../query/Query.ts"
import * as Receiver from "../receive/Receiver.ts"
import { TraceStore } from "../store/TraceStore.ts"
import * as Viewer from "../viewer/Viewer.ts"

/** What is served, and where. */
export interface Options extends Omit<Receiver.Options, "extra" | "isOpen"> {
  readonly store: TraceStore.Shape
  /** The folder that the build has filled with the page; the package's own unless told otherwise. */
  readonly folder?: string | undefined
}

/** Starts the server; it stops with its scope. */
export const make = Effect.fnUntraced(function*({ folder, store, ...options }: Options) {
  const viewer = yield* Viewer.make({ query: Query.make(store), folder })
  const receiver = yield* Effect.provideService(
    Receiver.make({ ...options, extra: viewer.handle, isOpen: viewer.isOpen }),
    TraceStore,
    store
  )
  yield* Effect.addFinalizer(() => viewer.end)
  return receiver
}) satisfies (options: Options) => Effect.Effect<Receiver.Receiver.Shape, Receiver.CannotStart, Scope.Scope>
