import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AnyFiber } from "./references.ts"

/** Who watches a stream go by. Neither function may throw. */
export interface StreamObserver<A> {
  /** Someone reads: from here on the end is told. */
  readonly onStart?: (() => void) | undefined
  readonly onChunk: (chunk: ReadonlyArray<A>) => void
  /** Called once: the stream has ended, failed, or its consumer has gone. */
  readonly onEnd: (exit: Exit.Exit<unknown, unknown>) => void
  /** Runs when everything of the stream is closed. */
  readonly afterwards?: Effect.Effect<void> | undefined
}

/** A stream that is about to be read: watched, or as it stands. */
export interface Observed<A> {
  readonly stream: Stream.Stream<A, any, any>
  readonly observer?: StreamObserver<A>
  /** What the stream runs in, by the context of its reader. */
  readonly surroundings?: (context: Context.Context<any>) => Context.Context<any>
}

/** The consumer has gone: it may have failed with something of its own, which is not how the stream ended. */
const left: Exit.Exit<never> = Exit.failCause(Cause.interrupt())

/** Each pull comes with the same context, and a new one costs the runtime what it keeps by context. */
const kept = (surroundings: NonNullable<Observed<unknown>["surroundings"]>): typeof surroundings => {
  let outer: Context.Context<any> | undefined
  let inner: Context.Context<any> | undefined
  return (context) => {
    if (inner === undefined || context !== outer) {
      inner = surroundings(context)
      outer = context
    }
    return inner
  }
}

/**
 * The pull of a watched stream.
 *
 * The stream has a scope of its own, closed by the one finalizer of the reader's: when a consumer leaves early, a handler
 * has been interrupted before its end is told. An ordinary end and a failure are told when they are seen. Beside the
 * stream's own finalizers in one scope it would cost five steps more: the runtime closes a scope of one without a loop.
 */
const pullOf = (
  stream: Stream.Stream<any, any, any>,
  observer: StreamObserver<any>,
  surroundings: Observed<any>["surroundings"],
  scope: Scope.Scope
): Effect.Effect<any, any, any> => {
  let ended = false
  const end = (exit: Exit.Exit<any, any>): void => {
    if (ended) return
    ended = true
    observer.onEnd(exit)
  }
  const onChunk = (chunk: any): any => {
    observer.onChunk(chunk)
    return Effect.succeed(chunk)
  }
  const onFailure = (cause: Cause.Cause<any>): Effect.Effect<never, any> => {
    // An interrupted reader leaves by the scope, after the handler has been interrupted.
    if (!Cause.hasInterruptsOnly(cause)) end(Pull.doneExitFromCause(cause))
    return Effect.failCause(cause)
  }
  const own = Scope.makeUnsafe(scope.strategy)
  const inside = surroundings === undefined ? undefined : kept(surroundings)
  const within = <A, E>(effect: Effect.Effect<A, E, any>): Effect.Effect<A, E, any> =>
    inside === undefined ? effect : Effect.updateContext(effect, inside)
  return Effect.flatMap(
    Scope.addFinalizerExit(scope, (exit) => {
      const closed = (): Effect.Effect<void> => {
        end(exit._tag === "Success" ? exit : left)
        return observer.afterwards ?? Effect.void
      }
      const closing = Scope.closeUnsafe(own, exit)
      return closing === undefined ? closed() : Effect.matchCauseEffect(closing, {
        onFailure: (cause) => Effect.andThen(closed(), Effect.failCause(cause)),
        onSuccess: closed
      })
    }),
    () => {
      // Only now: an interrupt between the two would leave nobody to tell the end.
      observer.onStart?.()
      // Two handlers in one: under a tracer that is asked at every step of the runtime, a step is half a microsecond.
      return Effect.matchCauseEffect(within(Channel.toPullScoped(stream.channel as any, own)), {
        onFailure,
        onSuccess: (pull: any) =>
          Effect.succeed(Effect.matchCauseEffect(within(pull), { onFailure, onSuccess: onChunk }))
      })
    }
  )
}

/** The same stream, watched. */
export const observeStream = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  observer: StreamObserver<A>
): Stream.Stream<A, E, R> =>
  Stream.fromChannel(
    Channel.fromTransform((_: unknown, scope: Scope.Scope) => pullOf(stream, observer, undefined, scope)) as any
  ) as any

/**
 * A stream that is decided upon when it is read, by the fiber that reads it.
 *
 * In one layer: `Stream.unwrap` and `Stream.provideContext` around a watched stream cost a turn some 20 steps more.
 */
export const observing = (
  decide: (fiber: AnyFiber) => Observed<any> | Effect.Effect<Observed<any>, any>
): Stream.Stream<any, any, any> =>
  Stream.fromChannel(
    Channel.fromTransform((_: unknown, scope: Scope.Scope) => {
      const read = ({ observer, stream, surroundings }: Observed<any>): Effect.Effect<any, any, any> =>
        observer === undefined
          ? Channel.toPullScoped(stream.channel as any, scope)
          : pullOf(stream, observer, surroundings, scope)
      return Effect.withFiber((fiber) => {
        const decided = decide(fiber)
        return Effect.isEffect(decided) ? Effect.flatMap(decided, read) : read(decided)
      })
    }) as any
  )
