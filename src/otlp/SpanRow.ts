/**
 * One OTLP span with everything that the request says about it, in a shape that is the same for JSON and protobuf.
 */

/**
 * One attribute value. Shapes: OTLP `intValue` is a `bigint` and `doubleValue` a `number`, so that 5 and 5.0 stay
 * apart; `bytesValue` is a `Uint8Array`, `arrayValue` an array, `kvlistValue` an {@link AttributeMap}; `null` is a value
 * that was sent empty.
 */
export type AttributeValue =
  | string
  | boolean
  | bigint
  | number
  | Uint8Array
  | null
  | ReadonlyArray<AttributeValue>
  | AttributeMap

/** A nested key-value list, as an object of its own so that it cannot be taken for an array value. */
export interface AttributeMap {
  readonly entries: Attributes
}

/** One attribute as it was sent. */
export interface Attribute {
  readonly key: string
  readonly value: AttributeValue
}

/** Attributes in the order in which they were sent, doubled keys included. */
export type Attributes = ReadonlyArray<Attribute>

/** A reference from a resource to one entity that its attributes describe. */
export interface EntityRef {
  readonly schemaUrl: string
  readonly type: string
  readonly idKeys: ReadonlyArray<string>
  readonly descriptionKeys: ReadonlyArray<string>
}

/** What produced the spans. Rows of one `ResourceSpans` message share one object. */
export interface Resource {
  readonly attributes: Attributes
  readonly droppedAttributesCount: number
  readonly entityRefs: ReadonlyArray<EntityRef>
  readonly schemaUrl: string
}

/** The instrumentation that wrote the spans. Rows of one `ScopeSpans` message share one object. */
export interface Scope {
  readonly name: string
  readonly version: string
  readonly attributes: Attributes
  readonly droppedAttributesCount: number
  readonly schemaUrl: string
}

/** An event of a span; `time` is in unix nanoseconds. */
export interface SpanEvent {
  readonly time: bigint
  readonly name: string
  readonly attributes: Attributes
  readonly droppedAttributesCount: number
}

/** A link to another span; ids are lower-case hex, as they were sent (a link with a broken id is kept). */
export interface SpanLink {
  readonly traceId: string
  readonly spanId: string
  readonly traceState: string
  readonly attributes: Attributes
  readonly droppedAttributesCount: number
  readonly flags: number
}

/** The status of a span; `code` is 0 unset, 1 ok, 2 error, or another number that was sent. */
export interface SpanStatus {
  readonly code: number
  readonly message: string
}

/**
 * One span. `traceId` is 32 and `spanId` 16 lower-case hex digits, never all zero; `parentSpanId` is `""` for a root;
 * `start` and `end` are unix nanoseconds; `kind` is 0 unspecified, 1 internal, 2 server, 3 client, 4 producer,
 * 5 consumer. What was not sent is `""`, `0` or an empty list, as in protobuf.
 */
export interface SpanRow {
  readonly resource: Resource
  readonly scope: Scope
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceState: string
  readonly flags: number
  readonly name: string
  readonly kind: number
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Attributes
  readonly droppedAttributesCount: number
  readonly events: ReadonlyArray<SpanEvent>
  readonly droppedEventsCount: number
  readonly links: ReadonlyArray<SpanLink>
  readonly droppedLinksCount: number
  readonly status: SpanStatus
}

/** The value of the first attribute with this key; `undefined` when there is none. */
export const attributeOf = (attributes: Attributes, key: string): AttributeValue | undefined => {
  for (const attribute of attributes) {
    if (attribute.key === key) return attribute.value
  }
  return undefined
}

/** The value of the first attribute with this key when it is a string, else `undefined`. */
export const textOf = (attributes: Attributes, key: string): string | undefined => {
  const value = attributeOf(attributes, key)
  return typeof value === "string" ? value : undefined
}
