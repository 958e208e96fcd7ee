/**
 * Compares our field numbers with the official descriptors, where these are (CI has them, or this fails):
 * `pip install --no-deps --target .cache/opentelemetry-proto opentelemetry-proto`
 */
import { assert, describe, it } from "@effect/vitest"
import * as Message from "../../src/otlp/message.ts"
import * as descriptor from "./descriptor.ts"

describe.skipIf(!descriptor.areThere)("the official descriptors", () => {
  const official = (name: string): descriptor.Numbers =>
    Object.assign({}, ...descriptor.files.map((file) => descriptor.read(file)[`opentelemetry.proto.${name}`]))
  const messages: ReadonlyArray<readonly [string, descriptor.Numbers]> = [
    ["collector.trace.v1.ExportTraceServiceRequest", Message.ExportTraceServiceRequest],
    ["collector.trace.v1.ExportTraceServiceResponse", Message.ExportTraceServiceResponse],
    ["collector.trace.v1.ExportTracePartialSuccess", Message.ExportTracePartialSuccess],
    ["trace.v1.ResourceSpans", Message.ResourceSpans],
    ["trace.v1.ScopeSpans", Message.ScopeSpans],
    ["trace.v1.Span", Message.Span],
    ["trace.v1.Span.Event", Message.SpanEvent],
    ["trace.v1.Span.Link", Message.SpanLink],
    ["trace.v1.Status", Message.Status],
    ["resource.v1.Resource", Message.Resource],
    ["common.v1.EntityRef", Message.EntityRef],
    ["common.v1.InstrumentationScope", Message.InstrumentationScope],
    ["common.v1.KeyValue", Message.KeyValue],
    ["common.v1.AnyValue", Message.AnyValue],
    ["common.v1.ArrayValue", Message.ValueList],
    ["common.v1.KeyValueList", Message.ValueList]
  ]
  for (const [name, ours] of messages) {
    it(`have the fields of ${name} that we have, and no other`, () => {
      const fields = Object.entries(official(name))
      assert.deepStrictEqual<unknown>(
        Object.fromEntries(fields.filter(([field]) => !descriptor.ofProfiles.includes(field))),
        ours
      )
    })
  }

  it("have our enum names", () => {
    const numbered = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name, index) => [name, index]))
    assert.deepStrictEqual(official("trace.v1.Span.SpanKind"), numbered(Message.spanKinds))
    assert.deepStrictEqual(official("trace.v1.Status.StatusCode"), numbered(Message.statusCodes))
  })
})
