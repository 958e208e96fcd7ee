/**
 * The calls of a foreign store: traces that could have them are read, and the rest is worked out here, exactly as for the
 * store in memory. An answer that could lack a call is refused.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ReadError } from "./Capability.ts"
import * as MemoryCalls from "./MemoryCalls.ts"
import { type Alternative, fits, type RemoteEngine, type Window } from "./RemoteEngine.ts"
import * as RemotePlan from "./RemotePlan.ts"
import * as RemoteSpans from "./RemoteSpans.ts"
import type { StageSpan } from "./StageSpan.ts"
import type { CallFilter, CallPageOptions, StoredCall, StoredSpan } from "./TraceReader.ts"

/** The calls of a foreign store. */
export interface RemoteCalls {
  /** All calls that fit; refuses when there may be more. */
  readonly all: (filter: CallFilter) => Effect.Effect<ReadonlyArray<MemoryCalls.MemoryCall>, ReadError>
  readonly page: (filter: CallFilter, page: CallPageOptions) => Effect.Effect<ReadonlyArray<StoredCall>, ReadError>
  /** The time that is searched when only its beginning may be given. */
  readonly window: (from?: bigint) => Effect.Effect<Window>
}

const second = 1_000_000_000n

/** Clocks of other machines may be ahead by this much. */
const ahead = 300n * second

/** Spans of one call can seem to be in the wrong order by this much. */
const skew = 10n * second

/** The end of searches moves in steps, so that questions that follow each other are the same. */
const step = 5n * second

/** Times before the end that are tried for the newest calls where there is too much to read it all. */
const nearby = [10n, 30n, 60n, 600n, 3_600n, 21_600n, 86_400n].map((seconds) => seconds * second)

const isWithoutDecision = (call: ReadonlyArray<StageSpan>): boolean => call.every(({ stage }) => stage !== "decision")

const isOneOf = (anyOf: ReadonlyArray<Alternative>) => ({ stored }: { readonly stored: StoredSpan }): boolean =>
  anyOf.some((alternative) => fits(stored.row, alternative))

/** The calls behind this engine. */
export const make = (engine: RemoteEngine): RemoteCalls => {
  const window = Effect.fnUntraced(function*(from?: bigint) {
    const now = BigInt(yield* Clock.currentTimeMillis) * 1_000_000n
    const until = now - now % step + step + ahead
    const usual = until > engine.lookback ? until - engine.lookback : 0n
    return { from: from === undefined ? usual : from < 0n ? 0n : from, until }
  })

  /** The calls with a span in this time that fits the plan, each complete; `undefined` when there are too many. */
  const inWindow = Effect.fnUntraced(function*({ anyOf, universal }: RemotePlan.Plan, searched: Window, whole: Window) {
    const from = searched.from > skew ? searched.from - skew : 0n
    const found = yield* engine.search(anyOf, { ...searched, from })
    if (!found.complete) return undefined
    const spans = RemoteSpans.make(engine)
    yield* spans.load(found.traceIds)
    // What links to a span began later: of a time that has not ended it was read already.
    const linksRead = universal && searched.until >= whole.until
    yield* spans.complete(linksRead ? isWithoutDecision : (call) => call.some(isOneOf(anyOf)), whole, linksRead)
    const all = spans.all()
    return MemoryCalls.callsOf(all, MemoryCalls.violationsOf(all), false)
  })

  const tooMany = (from: bigint) => {
    const since = new Date(Number(from / 1_000_000n)).toISOString()
    return RemoteSpans.tooMany(
      engine,
      "calls",
      `more than ${engine.tracesAtMost} traces could have such calls since ${since}`
    )
  }

  const empty = ({ from, until }: CallFilter, whole: Window) =>
    (until !== undefined && until <= (from ?? 0n)) || (from !== undefined && from > whole.until)

  /** All calls that fit, or `undefined`. */
  const attempt = Effect.fnUntraced(function*(filter: CallFilter) {
    const usual = yield* window()
    const asked = yield* window(filter.from)
    if (empty(filter, asked)) return []
    const whole = { ...usual, from: asked.from < usual.from ? asked.from : usual.from }
    for (const plan of RemotePlan.ofFilter(filter)) {
      const until = filter.until !== undefined && filter.until < asked.until ? filter.until : asked.until
      const calls = yield* inWindow(plan, { from: asked.from, until: plan.universal ? until : asked.until }, whole)
      if (calls !== undefined) return calls.filter((call) => MemoryCalls.fits(call, filter))
    }
    return undefined
  })

  const all = Effect.fnUntraced(function*(filter: CallFilter) {
    const calls = yield* attempt(filter)
    return calls ?? (yield* tooMany((yield* window(filter.from)).from))
  })

  /** The newest calls before a time, of as much time as can be read whole. */
  const newest = Effect.fnUntraced(function*(filter: CallFilter, page: CallPageOptions) {
    const whole = yield* window()
    const asked = yield* window(filter.from)
    const ends = [asked.until, filter.until, typeof page.after?.value === "bigint" ? page.after.value + 1n : undefined]
    const until = ends.reduce<bigint>((least, end) => end !== undefined && end < least ? end : least, asked.until)
    const now = asked.until - ahead - step
    for (const width of nearby) {
      const from = (until < now ? until : now) - width
      if (from < asked.from) break
      const calls = yield* inWindow(RemotePlan.everyCall, { from, until }, whole)
      if (calls === undefined) break
      // Of the calls that began earlier not all are known.
      const fitting = calls.filter((call) => call.facts.started >= from && MemoryCalls.fits(call, filter))
      const found = MemoryCalls.page(fitting, page)
      if (found.length >= page.limit) return found
    }
    return yield* tooMany(asked.from)
  })

  return {
    all,
    window,
    page: Effect.fnUntraced(function*(filter, page) {
      const calls = yield* attempt(filter)
      if (calls !== undefined) return MemoryCalls.page(calls, page)
      if ((page.sort ?? "newest") === "newest") return yield* newest(filter, page)
      return yield* all(filter).pipe(Effect.map((calls) => MemoryCalls.page(calls, page)))
    })
  }
}
