/**
 * Request bodies from rows, written by hand in OTLP/JSON and by the encoder in protobuf.
 */
import { PbfWriter } from "pbf"
import * as ProtobufEncoder from "../../src/otlp/ProtobufEncoder.ts"
import type { Attributes, AttributeValue, SpanRow } from "../../src/otlp/SpanRow.ts"

const anyValue = (value: AttributeValue): unknown => {
  if (value === null) return {}
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "bigint") return { intValue: String(value) }
  if (typeof value === "number") {
    return { doubleValue: Object.is(value, -0) ? "-0" : Number.isFinite(value) ? value : String(value) }
  }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString("base64") }
  if ("entries" in value && !Array.isArray(value)) {
    return { kvlistValue: { values: keyValues((value as { entries: Attributes }).entries) } }
  }
  return { arrayValue: { values: (value as ReadonlyArray<AttributeValue>).map(anyValue) } }
}

const keyValues = (attributes: Attributes): unknown =>
  attributes.map(({ key, value }) => ({ key, value: anyValue(value) }))

/** One row as an OTLP/JSON request. */
export const json = (row: SpanRow): Record<string, any> => ({
  resourceSpans: [{
    resource: {
      attributes: keyValues(row.resource.attributes),
      droppedAttributesCount: row.resource.droppedAttributesCount,
      entityRefs: row.resource.entityRefs
    },
    schemaUrl: row.resource.schemaUrl,
    scopeSpans: [{
      scope: {
        name: row.scope.name,
        version: row.scope.version,
        attributes: keyValues(row.scope.attributes),
        droppedAttributesCount: row.scope.droppedAttributesCount
      },
      schemaUrl: row.scope.schemaUrl,
      spans: [{
        traceId: row.traceId,
        spanId: row.spanId,
        parentSpanId: row.parentSpanId,
        traceState: row.traceState,
        flags: row.flags,
        name: row.name,
        kind: row.kind,
        startTimeUnixNano: String(row.start),
        endTimeUnixNano: String(row.end),
        attributes: keyValues(row.attributes),
        droppedAttributesCount: row.droppedAttributesCount,
        events: row.events.map((event) => ({
          timeUnixNano: String(event.time),
          name: event.name,
          attributes: keyValues(event.attributes),
          droppedAttributesCount: event.droppedAttributesCount
        })),
        droppedEventsCount: row.droppedEventsCount,
        links: row.links.map((link) => ({ ...link, attributes: keyValues(link.attributes) })),
        droppedLinksCount: row.droppedLinksCount,
        status: row.status
      }]
    }]
  }]
})

/** One row as an OTLP protobuf request. */
export const protobuf = (row: SpanRow): Uint8Array => {
  const pbf = new PbfWriter()
  pbf.writeMessage(1, (_, resourceSpans) => {
    ProtobufEncoder.resource(row.resource, resourceSpans)
    resourceSpans.writeMessage(2, (_, scopeSpans) => {
      scopeSpans.writeMessage(2, ProtobufEncoder.span, row)
      ProtobufEncoder.scope(row.scope, scopeSpans)
    }, row)
  }, row)
  return pbf.finish()
}
