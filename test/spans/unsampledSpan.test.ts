import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as UnsampledSpan from "../../src/spans/unsampledSpan.ts"

describe("the stand-in for a span that is not sampled", () => {
  it("goes by its parent's ids, is not sampled, and nothing can be written on it", () => {
    const annotations = Context.make(Context.Service<string>("annotation"), "kept") as Context.Context<never>
    const parent = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: false, annotations })
    const span = UnsampledSpan.make("tool_call lookup", parent, "internal", 7n)
    span.attribute("key", "value")
    span.event("event", 8n, {})
    span.addLinks([{ span: parent, attributes: {} }])
    span.end(9n, Exit.void)
    assert.deepStrictEqual(
      [
        span.traceId,
        span.spanId,
        span.name,
        span.kind,
        span.sampled,
        span._tag,
        span.links.length,
        span.attributes.size
      ],
      [parent.traceId, parent.spanId, "tool_call lookup", "internal", false, "Span", 0, 0]
    )
    assert.strictEqual(Option.getOrThrow(span.parent), parent)
    assert.strictEqual(span.annotations, annotations)
    assert.strictEqual(span.status.startTime, 7n)
  })
})
