/**
 * Jaeger, asked over its query service's HTTP API: search by service and tags (`/api/traces`), and traces by id as OTLP
 * (`/api/v3/traces`), which keep nanoseconds and the attributes of links.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Attribute from "../semconv/attribute.ts"
import type { Capabilities } from "./Capability.ts"
import { CannotAnswer } from "./Capability.ts"
import * as JaegerSpan from "./JaegerSpan.ts"
import * as LinkTarget from "./LinkTarget.ts"
import * as RemoteAnswer from "./RemoteAnswer.ts"
import type { Alternative, Condition, Found, RemoteEngine, Window } from "./RemoteEngine.ts"
import type { Ask } from "./RemoteHttp.ts"
import { StoreUnavailable } from "./StoreError.ts"

/** How much is asked for; without services, all that Jaeger knows. */
export interface Options {
  readonly name: string
  readonly tracesAtMost: number
  readonly lookback: bigint
  readonly services: ReadonlyArray<string>
}

/** Services that are searched one after the other; a search without one is refused by Jaeger. */
const servicesAtMost = 50

/** Questions of one search. */
const questionsAtMost = 2_000

const capabilities = (engine: string): Capabilities => ({
  engine,
  refused: [
    {
      question: "changes",
      reason: "it does not tell what is new",
      instead: "Ask again, with the time of the last answer"
    },
    { question: "stats", reason: "it does not count what it has", instead: "Ask Jaeger's own metrics" }
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
      question: "incoming",
      reason: "it does not search links: from other traces only those of toolspan's own kinds are known, and who used "
        + "several results at once only in the call's conversation",
      instead: "Look at the traces themselves"
    },
    {
      question: "fields",
      reason:
        "it does not keep schema URLs, makes up a service name where there is none, and lets no span end before it "
        + "begins",
      instead: "Keep spans with toolspan dev where these matter"
    }
  ]
})

const Services = RemoteAnswer.json(Schema.Struct({ data: Schema.optional(Schema.NullOr(Schema.Array(Schema.String))) }))

const Traces = RemoteAnswer.json(Schema.Struct({
  data: Schema.optional(Schema.NullOr(Schema.Array(Schema.Struct({ traceID: Schema.String })))),
  errors: Schema.optional(Schema.NullOr(Schema.Array(Schema.Struct({ msg: Schema.optional(Schema.String) }))))
}))

const Trace = RemoteAnswer.json(Schema.Struct({
  result: Schema.Struct({ resourceSpans: Schema.Array(Schema.Unknown) })
}))

/** Jaeger compares texts; a list is one JSON text. */
const tagOf = (condition: Condition): ReadonlyArray<readonly [string, string]> =>
  condition.on === "span" || condition.on === "event" ? [[condition.key, condition.value]] : []

const tagsOf = (alternative: Alternative): string => JSON.stringify(Object.fromEntries(alternative.flatMap(tagOf)))

/** Jaeger behind these questions. */
export const make = (ask: Ask, { lookback, name, services, tracesAtMost }: Options): RemoteEngine => {
  const wrong = (reason: string) => new StoreUnavailable({ path: name, reason: `its answer cannot be read: ${reason}` })

  const cannot = (reason: string, instead: string) =>
    new CannotAnswer({ engine: name, question: "calls", reason, instead })

  const knownServices = services.length > 0 ?
    Effect.succeed(services) :
    ask("/api/services", [], "application/json").pipe(
      Effect.filterOrFail(({ status }) => status !== 404, () => wrong("there is no /api/services")),
      Effect.flatMap(({ body }) => Services(name, body)),
      Effect.map(({ data }) => data ?? []),
      Effect.filterOrFail(
        ({ length }) => length <= servicesAtMost,
        ({ length }) =>
          cannot(
            `it has ${length} services and searches one at a time`,
            `Name up to ${servicesAtMost} of them in the address: jaeger=http://…?service=one&service=two`
          )
      )
    )

  const searchOnce = (service: string, alternative: Alternative, { from, until }: Window) =>
    ask("/api/traces", [
      ["service", service],
      ["tags", tagsOf(alternative)],
      ["limit", String(tracesAtMost)],
      // Microseconds, both ends included.
      ["start", String(from / 1_000n)],
      ["end", String(until / 1_000n + 1n)]
    ], "application/json").pipe(
      Effect.filterOrFail(({ status }) => status !== 404, () => wrong("there is no /api/traces")),
      Effect.flatMap(({ body }) => Traces(name, body)),
      Effect.flatMap(({ data }) => RemoteAnswer.traceIds(name, (data ?? []).map(({ traceID }) => traceID)))
    )

  return {
    capabilities: capabilities(name),
    tracesAtMost,
    lookback,
    search: Effect.fnUntraced(function*(alternatives, window) {
      const known = yield* knownServices
      const asked = alternatives.flatMap((alternative) => {
        const wanted = alternative.find(({ on }) => on === "service")?.value
        return known.filter((service) => wanted === undefined || wanted === service).map((service) =>
          searchOnce(service, alternative, window)
        )
      })
      if (asked.length > questionsAtMost) {
        return yield* cannot(`it would have to be asked ${asked.length} times`, "Narrow the time or the filters")
      }
      // Each answer has whole traces in it: where the first one is too much already, the others are not asked for.
      const first = yield* asked[0] ?? Effect.succeed([])
      if (first.length >= tracesAtMost) return { traceIds: first, complete: false } satisfies Found
      const found = [first, ...(yield* Effect.all(asked.slice(1), { concurrency: 4 }))]
      return {
        traceIds: [...new Set(found.flat())],
        complete: found.every(({ length }) => length < tracesAtMost)
      } satisfies Found
    }),
    trace: Effect.fnUntraced(function*(traceId) {
      // Raw: as they were sent, without corrected clocks.
      const { body, status } = yield* ask(`/api/v3/traces/${traceId}`, [["raw_traces", "true"]], "application/json")
      if (status === 404) return []
      const { result } = yield* Trace(name, body)
      const spans = yield* RemoteAnswer.spans(name, traceId, Buffer.from(JSON.stringify(result)), "json")
      return spans.map(JaegerSpan.restored)
    }),
    joining: ({ spanId, traceId }, key) => {
      const address = `${traceId}-${spanId}`
      const twins = LinkTarget.keys.map((twin): Alternative => [{ on: "span", key: twin, value: address }])
      // All spans of a call have its key: one question in place of five, unless many calls have it.
      return key === undefined ? [twins] : [[[{ on: "span", key: Attribute.toolspanCallKey, value: key }]], twins]
    },
    incoming: ({ spanId, traceId }) => {
      const address = `${traceId}-${spanId}`
      return [[
        ...LinkTarget.keys.map((key): Alternative => [{ on: "span", key, value: address }]),
        [{ on: "span", key: Attribute.toolspanLinkConsumes, value: JSON.stringify([address]) }]
      ]]
    }
  }
}
