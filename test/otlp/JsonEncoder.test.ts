import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import fc from "fast-check"
import * as JsonEncoder from "../../src/otlp/JsonEncoder.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import * as arbitrary from "./arbitrary.ts"

const decoded = (request: string): ReadonlyArray<SpanRow> => {
  const { refused, rows } = Result.getOrThrow(TraceRequest.decode(new TextEncoder().encode(request), "json"))
  assert.strictEqual(refused, 0)
  return rows
}

interface Request {
  readonly resourceSpans: ReadonlyArray<
    { readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<unknown> }> }
  >
}

const spansOf = (request: string): ReadonlyArray<unknown> =>
  (JSON.parse(request) as Request).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

const spanCount = (request: string): number => spansOf(request).length

const lengthOfSpans = (request: string): number =>
  spansOf(request).reduce<number>((sum, span) => sum + JSON.stringify(span).length, 0)

describe("requests", () => {
  it("give every field of every span back", () => {
    fc.assert(
      fc.property(arbitrary.span, (row) => {
        const [request, ...more] = [...JsonEncoder.requests([row], 1_000_000)]
        assert.lengthOf(more, 0)
        assert.notInclude(request, "\n")
        assert.deepStrictEqual(decoded(request!), [row])
      }),
      { numRuns: 300 }
    )
  })

  it("give numbers back that JSON does not have", () => {
    const values = [Infinity, -Infinity, -0, 5e-324, 2 ** 63, 5]
    const row = { ...fc.sample(arbitrary.span, 1)[0]!, attributes: values.map((value) => ({ key: "n", value })) }
    const [back] = decoded([...JsonEncoder.requests([row], 1)][0]!)
    assert.isTrue(back!.attributes.every(({ value }, index) => Object.is(value, values[index])))
    const [notANumber] = decoded(
      [...JsonEncoder.requests([{ ...row, attributes: [{ key: "n", value: NaN }] }], 1)][0]!
    )
    assert.isNaN(notANumber!.attributes[0]!.value)
  })

  it("write what spans share once, and are no longer than they may be", () => {
    fc.assert(
      fc.property(
        fc.array(arbitrary.span, { minLength: 1, maxLength: 8 }),
        arbitrary.resource,
        arbitrary.scope,
        fc.integer({ min: 1, max: 5000 }),
        (spans, resource, scope, most) => {
          const rows = spans.map((row, index) => index % 3 === 2 ? row : { ...row, resource, scope })
          const requests = [...JsonEncoder.requests(rows, most)]
          const back = requests.flatMap(decoded)
          assert.sameDeepMembers([...back], rows)
          for (const request of requests) {
            if (spanCount(request) > 1) assert.isAtMost(lengthOfSpans(request), most)
          }
          const first = JSON.parse([...JsonEncoder.requests(rows, 1e9)][0]!) as Request
          assert.isAtMost(first.resourceSpans.length, 1 + Math.floor(rows.length / 3))
        }
      ),
      { numRuns: 100 }
    )
  })

  it("are none without spans", () => {
    assert.deepStrictEqual([...JsonEncoder.requests([], 10)], [])
  })
})
