import { assert, it } from "@effect/vitest"
import { type Attributes, SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api"
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"
import { resourceFromAttributes } from "@opentelemetry/resources"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import * as Result from "effect/Result"
import fc from "fast-check"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import { id } from "./arbitrary.ts"

const text = fc.string({ unit: "binary", maxLength: 20 })
const attributes: fc.Arbitrary<Attributes> = fc.dictionary(
  text,
  fc.oneof(
    text,
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
    fc.array(text)
  ),
  { noNullPrototype: true }
)
const time: fc.Arbitrary<[number, number]> = fc.tuple(
  fc.integer({ min: 0, max: 2 ** 31 }),
  fc.integer({ min: 0, max: 999_999_999 })
)
const context = fc.record({
  traceId: id(16),
  spanId: id(8),
  traceFlags: fc.constantFrom(TraceFlags.NONE, TraceFlags.SAMPLED)
})
const count = fc.nat({ max: 100 })

const span: fc.Arbitrary<ReadableSpan> = fc.record({
  name: text,
  kind: fc.constantFrom(SpanKind.INTERNAL, SpanKind.SERVER, SpanKind.CLIENT, SpanKind.PRODUCER, SpanKind.CONSUMER),
  context,
  parent: fc.option(context, { nil: undefined }),
  startTime: time,
  endTime: time,
  duration: time,
  status: fc.record({
    code: fc.constantFrom(SpanStatusCode.UNSET, SpanStatusCode.OK, SpanStatusCode.ERROR),
    message: text
  }),
  attributes,
  links: fc.array(fc.record({ context, attributes, droppedAttributesCount: count }), { maxLength: 3 }),
  events: fc.array(fc.record({ name: text, time, attributes, droppedAttributesCount: count }), { maxLength: 3 }),
  resource: attributes,
  scope: fc.record({ name: text, version: text }),
  dropped: count
}).map((one) => ({
  name: one.name,
  kind: one.kind,
  spanContext: () => one.context,
  ...(one.parent === undefined ? {} : { parentSpanContext: one.parent }),
  startTime: one.startTime,
  endTime: one.endTime,
  duration: one.duration,
  status: one.status,
  attributes: one.attributes,
  links: one.links,
  events: one.events,
  ended: true,
  resource: resourceFromAttributes(one.resource),
  instrumentationScope: one.scope,
  droppedAttributesCount: one.dropped,
  droppedEventsCount: one.dropped,
  droppedLinksCount: one.dropped
}))

it("what the official exporter writes gives the same rows in both encodings, with what went in", () => {
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 4 }), (spans) => {
      const json = Result.getOrThrow(TraceRequest.decode(JsonTraceSerializer.serializeRequest(spans)!, "json"))
      const { encoded, ...protobuf } = Result.getOrThrow(
        TraceRequest.decode(ProtobufTraceSerializer.serializeRequest(spans)!, "protobuf")
      )
      assert.deepStrictEqual({ ...protobuf, encoded: [] }, json)
      assert.lengthOf(encoded, protobuf.rows.length)
      assert.strictEqual(json.rows.length + json.refused, spans.length)
      const names = (list: ReadonlyArray<{ readonly name: string }>) => list.map(({ name }) => name).sort()
      assert.deepStrictEqual(names(json.rows), names(spans))
    }),
    { numRuns: 200 }
  )
})
