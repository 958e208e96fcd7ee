import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import fc from "fast-check"
import { PbfWriter } from "pbf"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import * as arbitrary from "./arbitrary.ts"
import * as body from "./body.ts"

const toBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const rowsOf = (bytes: Uint8Array, encoding: TraceRequest.Encoding): ReadonlyArray<SpanRow> =>
  Result.getOrThrow(TraceRequest.decode(bytes, encoding)).rows

const failure = (bytes: Uint8Array, encoding: TraceRequest.Encoding) => {
  const result = TraceRequest.decode(bytes, encoding)
  assert(Result.isFailure(result), "expected a failure")
  return result.failure
}

const plain = (more: Record<string, unknown>): Uint8Array =>
  toBytes({
    resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: "a".repeat(32), spanId: "b".repeat(16), ...more }] }] }]
  })

/** What a request with this span between two good ones is told of it; the good ones are taken. */
const between = (span: unknown): ReadonlyArray<string> => {
  const good = (number: number) => ({ traceId: "a".repeat(32), spanId: `${number}`.repeat(16) })
  const spans = [good(1), span, good(2)]
  const { reasons, refused, rows } = Result.getOrThrow(
    TraceRequest.decode(toBytes({ resourceSpans: [{ scopeSpans: [{ spans }] }] }), "json")
  )
  assert.deepStrictEqual(rows.map(({ spanId }) => spanId), ["1".repeat(16), "2".repeat(16)])
  assert.strictEqual(refused, 1)
  return reasons
}

describe("every field", () => {
  it("comes back from JSON as it was written", () => {
    fc.assert(
      fc.property(arbitrary.span, (row) => {
        assert.deepStrictEqual(rowsOf(toBytes(body.json(row)), "json"), [row])
      }),
      { numRuns: 300 }
    )
  })

  it("comes back from protobuf as it was written", () => {
    fc.assert(
      fc.property(arbitrary.span, (row) => {
        assert.deepStrictEqual(rowsOf(body.protobuf(row), "protobuf"), [row])
      }),
      { numRuns: 300 }
    )
  })
})

describe("JSON", () => {
  it("takes 64-bit numbers as bare numbers without losing digits", () => {
    const text = new TextDecoder().decode(
      plain({ startTimeUnixNano: "START", attributes: [{ key: "n", value: { intValue: "INT" } }] })
    )
      .replace("\"START\"", "1727000000000000123")
      .replace("\"INT\"", "-9223372036854775807")
    const [row] = rowsOf(new TextEncoder().encode(text), "json")
    assert.strictEqual(row!.start, 1727000000000000123n)
    assert.deepStrictEqual(row!.attributes, [{ key: "n", value: -9223372036854775807n }])
  })

  it("takes enums by name and by number, ids in either case, null as absent, and ignores unknown fields", () => {
    const [row] = rowsOf(
      plain({
        traceId: "AB".repeat(16),
        kind: "SPAN_KIND_CLIENT",
        status: { code: "STATUS_CODE_ERROR" },
        name: null,
        later: [{}]
      }),
      "json"
    )
    assert.strictEqual(row!.traceId, "ab".repeat(16))
    assert.strictEqual(row!.kind, 3)
    assert.strictEqual(row!.status.code, 2)
    assert.strictEqual(row!.name, "")
    assert.strictEqual(rowsOf(plain({ kind: 5 }), "json")[0]!.kind, 5)
  })

  it("replaces a lone surrogate as UTF-8 would", () => {
    assert.strictEqual(rowsOf(plain({ name: "a\ud800b" }), "json")[0]!.name, "a\ufffdb")
  })

  for (
    const [what, bytes, reason] of [
      ["an empty body", new Uint8Array(), /JSON/],
      ["a cut body", plain({}).subarray(0, 60), /JSON/],
      ["a list", toBytes([]), /not a JSON object/],
      ["text where a list belongs", toBytes({ resourceSpans: "x" }), /resourceSpans must be a list, is a string/],
      [
        "text where spans belong",
        toBytes({ resourceSpans: [{ scopeSpans: [{ spans: "x" }] }] }),
        /spans must be a list/
      ],
      [
        "a resource that cannot be read: nobody could say whose spans these are",
        toBytes({ resourceSpans: [{ resource: { attributes: 5 }, scopeSpans: [] }] }),
        /attributes must be a list, is a number/
      ],
      [
        "a scope that cannot be read",
        toBytes({ resourceSpans: [{ scopeSpans: [{ scope: { name: 5 }, spans: [] }] }] }),
        /scope\.name must be text, is a number/
      ]
    ] as const
  ) {
    it(`refuses ${what}`, () => {
      const error = failure(bytes, "json")
      assert.strictEqual(error._tag, "NotOtlp")
      assert.match(error.message, reason)
    })
  }

  let deep: unknown = { stringValue: "x" }
  for (let level = 0; level < 60; level++) deep = { arrayValue: { values: [deep] } }
  const ids = { traceId: "a".repeat(32), spanId: "b".repeat(16) }
  for (
    const [what, span, reason] of [
      ["a number in its place", 5, "a span must be an object, is a number"],
      ["a number as name", { ...ids, name: 5 }, "a span's name must be text, is a number"],
      ["a negative time", { ...ids, startTimeUnixNano: "-1" }, "startTimeUnixNano is out of range"],
      ["a time that is no number", { ...ids, startTimeUnixNano: "noon" }, "startTimeUnixNano is no integer"],
      ["an unknown enum name", { ...ids, kind: "SPAN_KIND_ODD" }, "kind is no integer"],
      [
        "bytes that are not base64",
        { ...ids, attributes: [{ key: "k", value: { bytesValue: "?" } }] },
        "bytesValue is not base64"
      ],
      ["an event that is none", { ...ids, events: ["x"] }, "an event must be an object, is a string"],
      ["a link that is none", { ...ids, links: [[]] }, "a link must be an object, is a list"],
      [
        "values nested too deep",
        { ...ids, attributes: [{ key: "k", value: deep }] },
        "an attribute value is nested deeper than 50"
      ]
    ] as const
  ) {
    it(`refuses only the span with ${what}`, () => {
      assert.deepStrictEqual(between(span), [`${reason} (span 2)`])
    })
  }

  it("refuses brackets nested too deep", () => {
    const brackets = new TextEncoder().encode("[".repeat(2_000_000))
    assert.match(failure(brackets, "json").message, /brackets are nested deeper/)
    const shallow = new TextEncoder().encode("[".repeat(900_000))
    assert.strictEqual(failure(shallow, "json")._tag, "NotOtlp")
  })
})

describe("a JSON body that a parser would need hundreds of bytes of memory for each of its own, or minutes", () => {
  const of = (count: number, piece: (number: number) => string): Uint8Array => {
    const spans = Array.from({ length: count }, (_, number) => piece(number)).join()
    return Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`)
  }
  for (
    const [what, bytes, reason] of [
      ["lists", of(1_100_000, () => "[]"), /more than 2000000 values/],
      ["numbers", of(2_100_000, () => "1"), /more than 2000000 values/],
      [
        "numbers, one of them long",
        of(600_000, (number) => number === 0 ? "1234567890123456789" : "1"),
        /more than 500000 values with long numbers/
      ],
      [
        "fields that all have other names",
        of(200_000, (number) => `{"${number}":1}`),
        /more than 10000 names of fields/
      ],
      ["names behind spaces", of(200_000, (number) => `{"${number}" \n:1}`), /more than 10000 names of fields/]
    ] as const
  ) {
    it(`is refused before it is parsed: ${what}`, () => {
      const began = performance.now()
      const error = failure(bytes, "json")
      assert.strictEqual(error._tag, "TooManyValues")
      assert.match(error.message, reason)
      assert.isBelow(performance.now() - began, 2_000)
    })
  }

  it("is taken where it only has much text, or many spans of the usual names", () => {
    const ids = { traceId: "a".repeat(32), spanId: "b".repeat(16) }
    const text = `${JSON.stringify(",[{:\"")}`.repeat(500_000)
    assert.strictEqual(rowsOf(plain({ name: text }), "json")[0]!.name, text)
    const attributes = Array.from(
      { length: 20_000 },
      (_, number) => ({ key: `k${number}`, value: { intValue: number } })
    )
    const spans = Array.from({ length: 20 }, () => ({ ...ids, attributes }))
    assert.lengthOf(rowsOf(toBytes({ resourceSpans: [{ scopeSpans: [{ spans }] }] }), "json"), 20)
  })
})

/** A protobuf request around `Span` messages, written field by field. */
const around = (...spans: ReadonlyArray<(span: PbfWriter) => void>): Uint8Array => {
  const pbf = new PbfWriter()
  const writeSpans = (_: unknown, scopeSpans: PbfWriter): void => {
    for (const write of spans) scopeSpans.writeMessage(2, (_, span) => write(span), 0)
  }
  pbf.writeMessage(1, (_, resourceSpans) => resourceSpans.writeMessage(2, writeSpans, 0), 0)
  return pbf.finish().slice()
}

const ids = (span: PbfWriter): void => {
  span.writeBytesField(1, new Uint8Array(16).fill(1))
  span.writeBytesField(2, new Uint8Array(8).fill(2))
}

describe("protobuf", () => {
  it("is empty when the body is", () => {
    assert.deepStrictEqual(rowsOf(new Uint8Array(), "protobuf"), [])
  })

  it("refuses a body cut at any byte, or gives only whole spans", () => {
    fc.assert(
      fc.property(arbitrary.span, (row) => {
        const whole = body.protobuf(row)
        for (let length = 1; length < whole.length; length++) {
          assert.strictEqual(failure(whole.slice(0, length), "protobuf")._tag, "NotOtlp")
        }
      }),
      { numRuns: 20 }
    )
  })

  /** Values inside values. */
  const nest = (level: number, pbf: PbfWriter): void => {
    if (level > 0) pbf.writeMessage(5, (_, list) => list.writeMessage(1, nest, level - 1), 0)
  }
  for (
    const [what, write, reason] of [
      ["a wrong wire type", (span: PbfWriter) => span.writeVarintField(5, 7), /^a field has wire type 0, not 2 /],
      ["a length beyond the span", (span: PbfWriter) => {
        span.writeTag(5, 2)
        span.writeVarint(2 ** 40)
      }, /reaches beyond the end/],
      ["a tag of zero", (span: PbfWriter) => span.writeVarint(0), /tag is zero/],
      ["a tag as its last byte", (span: PbfWriter) => span.writeTag(5, 2), /./],
      ["a number that is cut", (span: PbfWriter) => span.writeTag(7, 1), /./],
      ["a field that is not known and cut", (span: PbfWriter) => span.writeTag(90, 5), /./],
      ["a group", (span: PbfWriter) => span.writeTag(90, 3), /^the span is cut or damaged /],
      ["an id of absurd length", (span: PbfWriter) => span.writeBytesField(1, new Uint8Array(1000)), /1000 bytes/],
      ["values nested too deep", (span: PbfWriter) => {
        span.writeMessage(9, (_, attribute) => attribute.writeMessage(2, nest, 60), 0)
      }, /nested deeper than 50/]
    ] as const
  ) {
    it(`refuses only the span with ${what}`, () => {
      const good = (number: number) => (span: PbfWriter): void => {
        span.writeBytesField(1, new Uint8Array(16).fill(1))
        span.writeBytesField(2, new Uint8Array(8).fill(number))
        span.writeMessage(9, (_, attribute) => attribute.writeMessage(2, nest, 40), 0)
      }
      const bytes = around(good(1), write, good(2), write, good(3))
      const { reasons, refused, rows } = Result.getOrThrow(TraceRequest.decode(bytes, "protobuf"))
      assert.deepStrictEqual(rows.map(({ spanId }) => spanId), ["01", "02", "03"].map((byte) => byte.repeat(8)))
      assert.strictEqual(refused, 2)
      assert.lengthOf(reasons, 1)
      assert.match(reasons[0]!, reason)
      assert.match(reasons[0]!, / \(spans 2, 4\)$/)
    })
  }

  it("skips fields that it does not know", () => {
    const [row] = rowsOf(
      around((span) => {
        span.writeStringField(900, "new")
        span.writeVarintField(901, 5)
        span.writeFixed32Field(902, 5)
        span.writeFixed64Field(903, 5)
        ids(span)
      }),
      "protobuf"
    )
    assert.strictEqual(row!.spanId, "02".repeat(8))
  })

  it("refuses more empty values than memory has room for", () => {
    const values = new Uint8Array(2 * 4_000_001)
    for (let at = 0; at < values.length; at += 2) values[at] = 0x4a
    const body = around((span) => {
      span.realloc(values.length)
      span.buf.set(values, span.pos)
      span.pos += values.length
    })
    assert.strictEqual(failure(body, "protobuf")._tag, "TooManyValues")
  }, 30_000)
})

describe("a span that cannot be stored", () => {
  it("is refused with a reason, and the others are kept", () => {
    const good = { traceId: "a".repeat(32), spanId: "b".repeat(16) }
    const spans = [
      good,
      { ...good, traceId: "abc" },
      { ...good, traceId: "abcd" },
      { ...good, traceId: "0".repeat(32) },
      { ...good, spanId: "0".repeat(16) },
      { ...good, spanId: "" },
      { ...good, parentSpanId: "aa" },
      { ...good, links: [{ traceId: "not hex!" }] },
      { ...good, spanId: "c".repeat(16), parentSpanId: "0".repeat(16) }
    ]
    const request = Result.getOrThrow(
      TraceRequest.decode(toBytes({ resourceSpans: [{ scopeSpans: [{ spans }] }] }), "json")
    )
    assert.deepStrictEqual(request.rows.map((row) => [row.spanId, row.parentSpanId]), [["b".repeat(16), ""], [
      "c".repeat(16),
      ""
    ]])
    assert.strictEqual(request.refused, 7)
    assert.deepStrictEqual(request.reasons, [
      "trace id is not hex (span 2)",
      "trace id has 2 bytes, not 16 (span 3)",
      "trace id is all zero (span 4)",
      "span id is all zero (span 5)",
      "span id has 0 bytes, not 8 (span 6)",
      "parent span id has 1 bytes, not 8 (span 7)",
      "a link's traceId is not hex (span 8)"
    ])
  })

  it("among many is told by its place, and what is more is counted", () => {
    const bad = Array.from({ length: 40 }, (_, index) => ({ traceId: "aa".repeat(index % 13), spanId: "b".repeat(16) }))
    const { reasons, refused } = Result.getOrThrow(
      TraceRequest.decode(toBytes({ resourceSpans: [{ scopeSpans: [{ spans: bad }] }] }), "json")
    )
    assert.strictEqual(refused, 40)
    assert.lengthOf(reasons, 11)
    assert.strictEqual(reasons[0], "trace id has 0 bytes, not 16 (spans 1, 14, 27, 40)")
    assert.strictEqual(reasons[10], "other reasons (9 more)")
    const same = Array.from({ length: 30 }, () => ({ traceId: "", spanId: "b".repeat(16) }))
    const all = Result.getOrThrow(
      TraceRequest.decode(toBytes({ resourceSpans: [{ scopeSpans: [{ spans: same }] }] }), "json")
    )
    assert.deepStrictEqual(all.reasons, [
      "trace id has 0 bytes, not 16 (spans 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more)"
    ])
  })

  it("is refused in protobuf too", () => {
    const request = Result.getOrThrow(TraceRequest.decode(around((span) => span.writeStringField(5, "n")), "protobuf"))
    assert.deepStrictEqual([request.rows.length, request.refused, request.reasons], [0, 1, [
      "trace id has 0 bytes, not 16 (span 1)"
    ]])
  })
})

describe("mutated bodies", () => {
  const mutation = fc.array(
    fc.record({
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 255 }),
      cut: fc.nat({ max: 20 }),
      kind: fc.nat({ max: 2 })
    }),
    { minLength: 1, maxLength: 8 }
  )
  const mutate = (
    bytes: Uint8Array,
    changes: ReadonlyArray<{ at: number; byte: number; cut: number; kind: number }>
  ) => {
    let now = Uint8Array.from(bytes)
    for (const { at, byte, cut, kind } of changes) {
      if (now.length === 0) break
      const place = at % now.length
      if (kind === 0) now[place] = byte
      else if (kind === 1) now = Uint8Array.from([...now.subarray(0, place), ...now.subarray(place + cut)])
      else now = Uint8Array.from([...now.subarray(0, place), byte, ...now.subarray(place)])
    }
    return now
  }

  it("never throw, in either encoding, and give only spans with whole ids", () => {
    fc.assert(
      fc.property(arbitrary.span, mutation, (row, changes) => {
        for (
          const [bytes, encoding] of [[body.protobuf(row), "protobuf"], [toBytes(body.json(row)), "json"]] as const
        ) {
          const result = TraceRequest.decode(mutate(bytes, changes), encoding)
          if (Result.isFailure(result)) {
            assert.isNotEmpty(result.failure.message)
          } else {
            for (const { spanId, traceId } of result.success.rows) {
              assert.match(traceId, /^[0-9a-f]{32}$/)
              assert.match(spanId, /^[0-9a-f]{16}$/)
            }
          }
        }
      }),
      { numRuns: 1000 }
    )
  })

  it("that are noise never throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        TraceRequest.decode(noise, "protobuf")
        TraceRequest.decode(noise, "json")
      }),
      { numRuns: 2000 }
    )
  })
})
