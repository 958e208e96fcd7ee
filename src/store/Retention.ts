/**
 * Keeps a store within a size and an age: what arrived first is taken out first, in small steps between which requests
 * are stored.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { StoreUnavailable } from "./StoreError.ts"
import type { TraceStore } from "./TraceStore.ts"

/** How much is kept; what is not given does not limit. */
export interface Limits {
  /** Bytes in use; the file does not shrink, but what becomes free in it is used again. */
  readonly maxBytes?: number | undefined
  readonly maxAge?: Duration.Duration | undefined
}

/** 1 GiB and 7 days. */
export const defaults = { maxBytes: 1024 ** 3, maxAge: Duration.days(7) } as const

/** Spans of the first step: some 20 ms, in which nothing else is stored. */
const stepSpans = 500

/** Each step is twice the one before, up to this: where requests bring more than steps take out, nothing would limit. */
const stepSpansAtMost = 8_000

/** Requests that wait come between two steps. */
const pause = "5 millis"

/** What arrives in this time can be over the limit: some 30 MB at full speed. */
const every = "1 second"

/** Takes out what is over the limits; gives the number of spans that it has taken out. */
export const sweep = Effect.fnUntraced(function*(store: TraceStore.Shape, { maxAge, maxBytes }: Limits) {
  const now = yield* Clock.currentTimeNanos
  const before = maxAge === undefined ? undefined : now - (Duration.toNanosUnsafe(maxAge))
  let dropped = 0
  let atMost = stepSpans
  for (;;) {
    const step = yield* store.drop({ maxBytes, before }, atMost)
    dropped += step
    if (step === 0) return dropped
    atMost = Math.min(stepSpansAtMost, 2 * atMost)
    yield* Effect.sleep(pause)
  }
}) satisfies (store: TraceStore.Shape, limits: Limits) => Effect.Effect<number, StoreUnavailable>

/** Sweeps again and again; a store that is busy is swept the next time. */
export const keep = (store: TraceStore.Shape, limits: Limits): Effect.Effect<never> =>
  sweep(store, limits).pipe(
    Effect.ignore({ log: "Warn" }),
    Effect.repeat(Schedule.spaced(every)),
    Effect.andThen(Effect.never)
  )
