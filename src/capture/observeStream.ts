import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

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

/** The consumer has gone: it may have failed with something of its own, which is not how the stream ended. */
const left: Exit.Exit<never> = Exit.failCause(Cause.interrupt())

/**
 * The same stream, watched.
 *
 * The scope's finalizer is registered before the stream's own, so it runs after them: when a consumer leaves early, a
 * handler has been interrupted before its end is told. An ordinary end and a failure are told when they are seen.
 */
export const observeStream = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  observer: StreamObserver<A>
): Stream.Stream<A, E, R> =>
  Stream.fromChannel(
    Channel.fromTransform((_: unknown, scope: Scope.Scope) => {
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
      return Effect.flatMap(
        Scope.addFinalizerExit(scope, (exit) => {
          end(exit._tag === "Success" ? exit : left)
          return observer.afterwards ?? Effect.void
        }),
        () => {
          // Only now: an interrupt between the two would leave nobody to tell the end.
          observer.onStart?.()
          // Two handlers in one: under a tracer that is asked at every step of the runtime, a step is half a microsecond.
          return Effect.matchCauseEffect(Channel.toPullScoped(stream.channel as any, scope), {
            onFailure,
            onSuccess: (pull: any) => Effect.succeed(Effect.matchCauseEffect(pull, { onFailure, onSuccess: onChunk }))
          })
        }
      )
    }) as any
  ) as any
