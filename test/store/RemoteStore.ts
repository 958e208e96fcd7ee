/**
 * A store of somebody else's as the conformance suite wants it: spans go in over OTLP and come back through our reader.
 */
import { PbfWriter } from "pbf"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as ProtobufEncoder from "../../src/otlp/ProtobufEncoder.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as Backend from "../../src/store/Backend.ts"
import { TraceReader } from "../../src/store/TraceReader.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"

/** An OTLP request with these spans. */
export const request = (rows: ReadonlyArray<SpanRow>): Uint8Array => {
  const pbf = new PbfWriter()
  for (const row of rows) {
    pbf.writeMessage(1, (_, resourceSpans) => {
      ProtobufEncoder.resource(row.resource, resourceSpans)
      resourceSpans.writeMessage(2, (_, scopeSpans) => {
        scopeSpans.writeMessage(2, ProtobufEncoder.span, row)
        ProtobufEncoder.scope(row.scope, scopeSpans)
      }, row)
    }, row)
  }
  return pbf.finish()
}

/** Spans of the tests begin between 1970 and this day. */
export const today = Date.UTC(2027, 0, 1)

/** The store behind this address; `send` takes an OTLP request and answers when its spans can be found. */
export const make = Effect.fnUntraced(function*(
  address: string,
  send: (body: Uint8Array, rows: ReadonlyArray<SpanRow>) => Effect.Effect<void>
) {
  yield* TestClock.setTime(today)
  const backend = yield* Effect.orDie(Backend.parse(address))
  const reader = yield* Backend.makeReader({ ...backend, days: 40_000 }, Duration.zero)
  const known = new Set<string>()
  const store: TraceStore.Shape = {
    ...reader,
    drop: () => Effect.die("a store of somebody else's drops what it wants"),
    append: (rows) =>
      Effect.suspend(() => {
        const fresh = rows.filter(({ spanId, traceId }) => {
          const address = `${traceId}-${spanId}`
          return !known.has(address) && known.add(address)
        })
        const counts = { stored: fresh.length, duplicates: rows.length - fresh.length }
        return rows.length === 0 ? Effect.succeed(counts) : Effect.as(send(request(rows), rows), counts)
      })
  }
  return Context.make(TraceStore, store).pipe(Context.add(TraceReader, store))
})

/** The store as a layer. */
export const layer = <E, R>(made: Effect.Effect<Context.Context<TraceStore | TraceReader>, E, R>) =>
  Layer.effectContext(made)
