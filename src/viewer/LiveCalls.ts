/** News of calls as server-sent events, for a bounded number of listeners. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Sse from "effect/encoding/Sse"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { LiveEvent, StoreBusy, TooManyListeners, WrongQuestion } from "../query/api.ts"
import type { Changes } from "../query/CallListing.ts"
import type { Query } from "../query/Query.ts"

/** Listeners at a time: each page that is open is one. */
export const listenersAtMost = 32

/** Milliseconds until the store is asked again when there was nothing new, and when there was. */
const quietPause = 250
const busyPause = 50

/** Looking for news rests this many times as long as it took: while spans pour in, most of the time is theirs. */
const rest = 2

/** A sign of life, so that both sides notice when the other is gone. */
const heartbeat = ": still here\n\n"
const heartbeatEvery = "15 seconds"

const placePattern = /^\d{1,15}$/

const encodeEvent = Schema.encodeEffect(LiveEvent)

const placeOf = (lastEventId: string | undefined): Effect.Effect<number | undefined, WrongQuestion> => {
  if (lastEventId === undefined || lastEventId === "") return Effect.undefined
  return placePattern.test(lastEventId)
    ? Effect.succeed(Number(lastEventId))
    : Effect.fail(new WrongQuestion({ reason: "last-event-id: not the id of an event of this stream" }))
}

/** The events of one answer: only the last one has the place, because the ones before it are not all of what it stands for. */
const eventsOf = ({ calls, last }: Changes): ReadonlyArray<LiveEvent> =>
  calls.map((data, index) => ({
    event: "call",
    data,
    ...(index === calls.length - 1 ? { id: String(last) } : {})
  }))

const textOf = (event: LiveEvent): Effect.Effect<string> =>
  Effect.map(
    Effect.orDie(encodeEvent(event)),
    (encoded) => Sse.encoder.write({ _tag: "Event", id: undefined, ...encoded })
  )

/** Listens to news, from the place of an earlier event on or from now on, until `ended` completes or the scope closes. */
export const make = (query: Query.Shape, ended: Effect.Effect<void>) => {
  let listeners = 0
  const oneAtATime = Semaphore.makeUnsafe(1)
  const look = (after: number | undefined) =>
    oneAtATime.withPermits(1)(
      Effect.timed(query.changes(after)).pipe(
        Effect.tap(([took]) => Effect.sleep(Duration.times(took, rest))),
        Effect.map(([, changes]) => changes)
      )
    )
  const enter = Effect.suspend(() => {
    if (listeners >= listenersAtMost) {
      return Effect.fail(new TooManyListeners({ reason: `${listenersAtMost} listen already: close one of them` }))
    }
    listeners++
    return Effect.addFinalizer(() => Effect.sync(() => listeners--))
  })
  return Effect.fnUntraced(function*(lastEventId: string | undefined) {
    const place = yield* placeOf(lastEventId)
    yield* enter
    const { last } = yield* look(place)
    return Stream.interruptWhen(news(look, place ?? last), ended)
  }, Effect.catchTag("StoreUnavailable", (error) => Effect.fail(new StoreBusy({ reason: error.message }))))
}

const news = (look: Query.Shape["changes"], from: number): Stream.Stream<Uint8Array> =>
  Stream.paginate({ after: from, pause: 0 }, ({ after, pause }) =>
    Effect.sleep(pause).pipe(
      Effect.andThen(look(after)),
      // A store that is busy is asked again.
      Effect.catchTag("StoreUnavailable", () => Effect.succeed({ calls: [], last: after })),
      // One that does not tell what is new has refused before the first event.
      Effect.catchTag("CannotAnswer", Effect.die),
      Effect.map((changes) =>
        [
          eventsOf(changes),
          Option.some({ after: changes.last, pause: changes.calls.length === 0 ? quietPause : busyPause })
        ] as const
      )
    )).pipe(
      // One at a time, as the listener takes them: together they can be larger than a text can be.
      Stream.mapEffect(textOf),
      Stream.merge(Stream.map(Stream.fromSchedule(Schedule.spaced(heartbeatEvery)), () => heartbeat)),
      // An id without data is no event, but where a listener goes on that has seen none yet.
      Stream.prepend([`id: ${from}\n\n`]),
      Stream.encodeText
    )
