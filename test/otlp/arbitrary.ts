/**
 * Rows of every shape that OTLP can carry.
 */
import fc from "fast-check"
import type { Attribute, Attributes, AttributeValue, Resource, Scope, SpanRow } from "../../src/otlp/SpanRow.ts"

const text: fc.Arbitrary<string> = fc.string({ unit: "binary", maxLength: 20 })
const uint32: fc.Arbitrary<number> = fc.integer({ min: 0, max: 0xffffffff })
const time: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 1_700_000_000_000_000_000n, max: 1_900_000_000_000_000_000n })
)
const int64: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -1000n, max: 1000n })
)

/** Hex that is not all zero, of so many bytes. */
export const id = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => {
    array[0] = array[0]! | 1
    return Buffer.from(array).toString("hex")
  })

const value: fc.Arbitrary<AttributeValue> = fc.letrec<{ value: AttributeValue; attribute: Attribute }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.boolean(),
    int64,
    fc.double({ noNaN: true }),
    fc.uint8Array({ maxLength: 10 }),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(tie("attribute"), { maxLength: 3 }).map((entries) => ({ entries }))
  ),
  attribute: fc.record({ key: text, value: tie("value") })
})).value

const attributes: fc.Arbitrary<Attributes> = fc.array(fc.record({ key: text, value }), { maxLength: 4 })

export const resource: fc.Arbitrary<Resource> = fc.record({
  attributes,
  droppedAttributesCount: uint32,
  entityRefs: fc.array(
    fc.record({ schemaUrl: text, type: text, idKeys: fc.array(text), descriptionKeys: fc.array(text) }),
    { maxLength: 2 }
  ),
  schemaUrl: text
})

export const scope: fc.Arbitrary<Scope> = fc.record({
  name: text,
  version: text,
  attributes,
  droppedAttributesCount: uint32,
  schemaUrl: text
})

export const span: fc.Arbitrary<SpanRow> = fc.record({
  resource,
  scope,
  traceId: id(16),
  spanId: id(8),
  parentSpanId: fc.oneof(id(8), fc.constant("")),
  traceState: text,
  flags: uint32,
  name: text,
  kind: fc.integer({ min: -9, max: 9 }),
  start: time,
  end: time,
  attributes,
  droppedAttributesCount: uint32,
  events: fc.array(fc.record({ time, name: text, attributes, droppedAttributesCount: uint32 }), { maxLength: 3 }),
  droppedEventsCount: uint32,
  links: fc.array(
    fc.record({
      traceId: id(16),
      spanId: id(8),
      traceState: text,
      attributes,
      droppedAttributesCount: uint32,
      flags: uint32
    }),
    { maxLength: 3 }
  ),
  droppedLinksCount: uint32,
  status: fc.record({ code: fc.integer({ min: -3, max: 3 }), message: text })
})
