/**
 * Grafana Tempo, asked over its documented HTTP API: TraceQL search, and traces by id (version 2) as protobuf.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { WireReader } from "../otlp/WireReader.ts"
import type { Capabilities } from "./Capability.ts"
import { CannotAnswer } from "./Capability.ts"
import * as LinkTarget from "./LinkTarget.ts"
import * as RemoteAnswer from "./RemoteAnswer.ts"
import type { Alternative, Found, RemoteEngine, Window } from "./RemoteEngine.ts"
import type { Ask } from "./RemoteHttp.ts"
import { StoreUnavailable } from "./StoreError.ts"
import type { SpanAddress } from "./TraceReader.ts"
import * as TraceQl from "./TraceQl.ts"

/** How much is asked for. */
export interface Options {
  readonly name: string
  readonly tracesAtMost: number
  readonly lookback: bigint
  /** Tempo refuses searches of more time than this, in nanoseconds. */
  readonly slice: bigint
}

/** Slices of one search: a year of weeks. */
const slicesAtMost = 53

/** Alternatives of one query; each is a condition that Tempo reads blocks for. */
const alternativesAtMost = 50

const second = 1_000_000_000n

const capabilities = (engine: string): Capabilities => ({
  engine,
  refused: [
    {
      question: "changes",
      reason: "it does not tell what is new",
      instead: "Ask again, with the time of the last answer"
    },
    { question: "stats", reason: "it does not count what it has", instead: "Ask Tempo's own metrics" }
  ],
  partial: [
    {
      question: "order",
      reason: "it does not keep the order of arrival",
      instead: "Spans are in the order of their times"
    },
    {
      question: "faults",
      reason: "faults that name a call from a trace without a span of the call are counted only in its conversation",
      instead: "List faults by the call's id"
    },
    {
      question: "fields",
      reason: "it cuts values of more than 2,048 bytes unless it is set up otherwise",
      instead: "Raise max_attribute_bytes in Tempo's configuration"
    }
  ]
})

const Search = RemoteAnswer.json(Schema.Struct({
  traces: Schema.optional(Schema.NullOr(Schema.Array(Schema.Struct({ traceID: Schema.String }))))
}))

/** The fields of `TraceByIDResponse` that are read. */
const field = { trace: 1, status: 3 } as const

interface TraceById {
  trace: Uint8Array
  status: number
}

const readTraceById = (body: Uint8Array): TraceById =>
  new WireReader(body).fields<TraceById>({ trace: new Uint8Array(), status: 0 }, (number, target, reader) => {
    // A `Trace` is, byte by byte, an `ExportTraceServiceRequest`: both have the resource's spans as field 1.
    if (number === field.trace) target.trace = reader.bytes()
    else if (number === field.status) target.status = reader.uint32()
  })

const slices = ({ from, until }: Window, sliceAtMost: bigint): ReadonlyArray<Window> => {
  const found: Array<Window> = []
  for (let end = until; end >= from && found.length <= slicesAtMost; end -= sliceAtMost) {
    found.push({ from: end - sliceAtMost > from ? end - sliceAtMost : from, until: end })
  }
  return found
}

const chunks = <A>(values: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) => values.slice(index * size, (index + 1) * size))

/** Tempo behind these questions. */
export const make = (ask: Ask, { lookback, name, slice, tracesAtMost }: Options): RemoteEngine => {
  const wrong = (reason: string) => new StoreUnavailable({ path: name, reason: `its answer cannot be read: ${reason}` })

  const searchOnce = (alternatives: ReadonlyArray<Alternative>, { from, until }: Window) =>
    ask("/api/search", [
      ["q", TraceQl.query(alternatives)],
      ["limit", String(tracesAtMost)],
      ["spss", "1"],
      ["start", String(from / second)],
      ["end", String(until / second + 1n)]
    ], "application/json").pipe(
      Effect.filterOrFail(({ status }) => status !== 404, () => wrong("there is no /api/search")),
      Effect.flatMap(({ body }) => Search(name, body)),
      Effect.flatMap(({ traces }) => RemoteAnswer.traceIds(name, (traces ?? []).map(({ traceID }) => traceID)))
    )

  const search = Effect.fnUntraced(function*(alternatives: ReadonlyArray<Alternative>, window: Window) {
    const windows = slices(window, slice)
    if (windows.length > slicesAtMost) {
      return yield* new CannotAnswer({
        engine: name,
        question: "calls",
        reason: `the time is longer than ${slicesAtMost} searches may be`,
        instead: "Narrow the time, or raise max_duration in Tempo's configuration and hours= in the address"
      })
    }
    const asked = windows.flatMap((slice) =>
      chunks(alternatives, alternativesAtMost).map((some) => searchOnce(some, slice))
    )
    const found = yield* Effect.all(asked, { concurrency: 4 })
    return {
      traceIds: [...new Set(found.flat())],
      complete: found.every(({ length }) => length < tracesAtMost)
    } satisfies Found
  })

  const incoming = ({ spanId, traceId }: SpanAddress): ReadonlyArray<ReadonlyArray<Alternative>> => {
    const address = `${traceId}-${spanId}`
    return [
      // One question for all spans of the trace.
      [[{ on: "target-trace", value: traceId }], [{ on: "twin-trace", value: traceId }]],
      [
        [{ on: "target", value: address }],
        ...LinkTarget.keys.map((key): Alternative => [{ on: "span", key, value: address }])
      ]
    ]
  }

  return {
    capabilities: capabilities(name),
    tracesAtMost,
    lookback,
    search,
    trace: Effect.fnUntraced(function*(traceId) {
      const { body, status } = yield* ask(`/api/v2/traces/${traceId}`, [], "application/protobuf")
      if (status === 404) return []
      const answer = yield* Effect.try({
        try: () => readTraceById(body),
        catch: () => wrong("it is no TraceByIDResponse in protobuf")
      })
      if (answer.status !== 0) {
        return yield* new CannotAnswer({
          engine: name,
          question: "calls",
          reason: `it gives only a part of the trace ${traceId}, which is larger than it is set up for`,
          instead: "Raise max_bytes_per_trace in Tempo's configuration"
        })
      }
      return yield* RemoteAnswer.spans(name, traceId, answer.trace, "protobuf")
    }),
    incoming,
    joining: incoming
  }
}
