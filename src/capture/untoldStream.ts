import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AnyFiber } from "./references.ts"

/**
 * A stream that is told where `isTold` says so of the fiber that reads it, and else the host's own.
 *
 * Without the layers of a told stream: `Stream.unwrap` alone costs what is not told some 10 µs.
 */
export const untoldStream = (
  isTold: (fiber: AnyFiber) => boolean,
  told: () => Stream.Stream<any, any, any>,
  untold: () => Stream.Stream<any, any, any>
): Stream.Stream<any, any, any> =>
  Stream.fromChannel(
    Channel.fromTransform((upstream: any, scope) =>
      Effect.withFiber((fiber) =>
        Channel.toTransform((isTold(fiber) ? told() : untold()).channel)(upstream, scope) as Effect.Effect<
          any,
          any,
          any
        >
      )
    ) as any
  )
