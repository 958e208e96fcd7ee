import * as OtelTracer from "@effect/opentelemetry/OtelTracer"
import { assert, describe, it } from "@effect/vitest"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as SpanReference from "../../src/lifecycle/SpanReference.ts"

describe("a span reference", () => {
  it.effect("has the ids of its span, holds nothing of it, and cannot be written on", () =>
    Effect.gen(function*() {
      const span = yield* Effect.makeSpan("whole", { attributes: { secret: "x" } })
      const reference = SpanReference.of(span)
      assert.strictEqual(reference.traceId, span.traceId)
      assert.strictEqual(reference.spanId, span.spanId)
      assert.strictEqual(reference.sampled, span.sampled)
      assert.notInclude(Object.values(reference), span)
      assert(reference._tag === "Span")
      reference.attribute("late", true)
      assert.strictEqual(reference.attributes.size, 0)
      assert.strictEqual(reference.status._tag, "Ended")
      assert.deepStrictEqual([reference.name, reference.kind, reference.links], ["", "internal", []])
      assert.isTrue(Option.isNone(reference.parent))
      assert.strictEqual(reference.annotations, span.annotations)
    }))

  it("of a reference, and of a span of another process, is itself", () => {
    const external = Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "2".repeat(16) })
    assert.strictEqual(SpanReference.of(external), external)
    const reference = SpanReference.of(Effect.runSync(Effect.makeSpan("one")))
    assert.strictEqual(SpanReference.of(reference), reference)
  })

  it.effect("as the end of a link is the span itself to OpenTelemetry, and not remote", () => {
    const exporter = new InMemorySpanExporter()
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    const tracer = OtelTracer.layerWithoutOtelTracer.pipe(
      Layer.provide(Layer.succeed(OtelTracer.OtelTracer, provider.getTracer("test")))
    )
    return Effect.gen(function*() {
      const first = yield* Effect.makeSpan("first")
      const links = [first, SpanReference.of(first)].map((span) => ({ span, attributes: {} }))
      yield* Effect.withSpan(Effect.void, "second", { links })
      const [whole, referred] = exporter.getFinishedSpans().find((span) => span.name === "second")!.links
      assert.deepStrictEqual(referred, whole)
      assert.strictEqual(referred!.context.isRemote, false)
    }).pipe(Effect.provide(tracer))
  })
})
