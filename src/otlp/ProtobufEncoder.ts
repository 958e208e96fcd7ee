/**
 * OTLP trace messages to protobuf: what the store keeps of a span.
 */
import type { PbfWriter } from "pbf"
import * as Message from "./message.ts"
import type {
  Attribute,
  Attributes,
  AttributeValue,
  EntityRef,
  Resource,
  Scope,
  SpanEvent,
  SpanLink,
  SpanRow,
  SpanStatus
} from "./SpanRow.ts"
import * as WireText from "./WireText.ts"

const varint = 0
const fixed64 = 1
const bytes = 2
const fixed32 = 5

const text = (pbf: PbfWriter, field: number, value: string): void => {
  if (value === "") return
  pbf.writeTag(field, bytes)
  WireText.write(pbf, value)
}

const hex = (pbf: PbfWriter, field: number, value: string): void => {
  if (value === "") return
  pbf.writeTag(field, bytes)
  pbf.writeBytes(Buffer.from(value, "hex"))
}

const uint32 = (pbf: PbfWriter, field: number, value: number): void => {
  if (value === 0) return
  pbf.writeTag(field, varint)
  pbf.writeVarint(value)
}

const time = (pbf: PbfWriter, field: number, value: bigint): void => {
  if (value === 0n) return
  pbf.writeTag(field, fixed64)
  pbf.realloc(8)
  pbf.dataView.setBigUint64(pbf.pos, value, true)
  pbf.pos += 8
}

const flags = (pbf: PbfWriter, field: number, value: number): void => {
  if (value === 0) return
  pbf.writeTag(field, fixed32)
  pbf.writeFixed32(value)
}

const int64 = (pbf: PbfWriter, value: bigint): void => {
  if (value >= 0n && value <= 0xfffffffn) {
    pbf.writeVarint(Number(value))
    return
  }
  pbf.realloc(10)
  let rest = BigInt.asUintN(64, value)
  while (rest > 0x7fn) {
    pbf.buf[pbf.pos++] = Number(rest & 0x7fn) | 0x80
    rest >>= 7n
  }
  pbf.buf[pbf.pos++] = Number(rest)
}

const values = (list: ReadonlyArray<AttributeValue>, pbf: PbfWriter): void => {
  for (const value of list) pbf.writeMessage(Message.ValueList.values, any, value)
}

const entries = (list: Attributes, pbf: PbfWriter): void => attributes(pbf, Message.ValueList.values, list)

/** Writes the one field that is set, also when its value is the default: an empty text is not an absent value. */
const any = (value: AttributeValue, pbf: PbfWriter): void => {
  switch (typeof value) {
    case "string":
      pbf.writeTag(Message.AnyValue.stringValue, bytes)
      WireText.write(pbf, value)
      return
    case "boolean":
      pbf.writeTag(Message.AnyValue.boolValue, varint)
      pbf.writeBoolean(value)
      return
    case "bigint":
      pbf.writeTag(Message.AnyValue.intValue, varint)
      int64(pbf, value)
      return
    case "number":
      pbf.writeTag(Message.AnyValue.doubleValue, fixed64)
      pbf.writeDouble(value)
      return
  }
  if (value === null) return
  if (value instanceof Uint8Array) {
    pbf.writeTag(Message.AnyValue.bytesValue, bytes)
    pbf.writeBytes(value)
  } else if ("entries" in value && !Array.isArray(value)) {
    pbf.writeMessage(Message.AnyValue.kvlistValue, entries, (value as { readonly entries: Attributes }).entries)
  } else {
    pbf.writeMessage(Message.AnyValue.arrayValue, values, value as ReadonlyArray<AttributeValue>)
  }
}

const keyValue = (attribute: Attribute, pbf: PbfWriter): void => {
  text(pbf, Message.KeyValue.key, attribute.key)
  pbf.writeMessage(Message.KeyValue.value, any, attribute.value)
}

const attributes = (pbf: PbfWriter, field: number, list: Attributes): void => {
  for (const attribute of list) pbf.writeMessage(field, keyValue, attribute)
}

const event = (event: SpanEvent, pbf: PbfWriter): void => {
  time(pbf, Message.SpanEvent.timeUnixNano, event.time)
  text(pbf, Message.SpanEvent.name, event.name)
  attributes(pbf, Message.SpanEvent.attributes, event.attributes)
  uint32(pbf, Message.SpanEvent.droppedAttributesCount, event.droppedAttributesCount)
}

const link = (link: SpanLink, pbf: PbfWriter): void => {
  hex(pbf, Message.SpanLink.traceId, link.traceId)
  hex(pbf, Message.SpanLink.spanId, link.spanId)
  text(pbf, Message.SpanLink.traceState, link.traceState)
  attributes(pbf, Message.SpanLink.attributes, link.attributes)
  uint32(pbf, Message.SpanLink.droppedAttributesCount, link.droppedAttributesCount)
  flags(pbf, Message.SpanLink.flags, link.flags)
}

const status = (status: SpanStatus, pbf: PbfWriter): void => {
  text(pbf, Message.Status.message, status.message)
  uint32(pbf, Message.Status.code, status.code)
}

/** Writes one `Span` message. */
export const span = (row: SpanRow, pbf: PbfWriter): void => {
  hex(pbf, Message.Span.traceId, row.traceId)
  hex(pbf, Message.Span.spanId, row.spanId)
  text(pbf, Message.Span.traceState, row.traceState)
  hex(pbf, Message.Span.parentSpanId, row.parentSpanId)
  text(pbf, Message.Span.name, row.name)
  uint32(pbf, Message.Span.kind, row.kind)
  time(pbf, Message.Span.startTimeUnixNano, row.start)
  time(pbf, Message.Span.endTimeUnixNano, row.end)
  attributes(pbf, Message.Span.attributes, row.attributes)
  uint32(pbf, Message.Span.droppedAttributesCount, row.droppedAttributesCount)
  for (const one of row.events) pbf.writeMessage(Message.Span.events, event, one)
  uint32(pbf, Message.Span.droppedEventsCount, row.droppedEventsCount)
  for (const one of row.links) pbf.writeMessage(Message.Span.links, link, one)
  uint32(pbf, Message.Span.droppedLinksCount, row.droppedLinksCount)
  if (row.status.code !== 0 || row.status.message !== "") pbf.writeMessage(Message.Span.status, status, row.status)
  flags(pbf, Message.Span.flags, row.flags)
}

const entityRef = (ref: EntityRef, pbf: PbfWriter): void => {
  text(pbf, Message.EntityRef.schemaUrl, ref.schemaUrl)
  text(pbf, Message.EntityRef.type, ref.type)
  for (const key of ref.idKeys) {
    pbf.writeTag(Message.EntityRef.idKeys, bytes)
    WireText.write(pbf, key)
  }
  for (const key of ref.descriptionKeys) {
    pbf.writeTag(Message.EntityRef.descriptionKeys, bytes)
    WireText.write(pbf, key)
  }
}

const resourceFields = (resource: Resource, pbf: PbfWriter): void => {
  attributes(pbf, Message.Resource.attributes, resource.attributes)
  uint32(pbf, Message.Resource.droppedAttributesCount, resource.droppedAttributesCount)
  for (const ref of resource.entityRefs) pbf.writeMessage(Message.Resource.entityRefs, entityRef, ref)
}

/** Writes a `ResourceSpans` message without spans. */
export const resource = (resource: Resource, pbf: PbfWriter): void => {
  pbf.writeMessage(Message.ResourceSpans.resource, resourceFields, resource)
  text(pbf, Message.ResourceSpans.schemaUrl, resource.schemaUrl)
}

const scopeFields = (scope: Scope, pbf: PbfWriter): void => {
  text(pbf, Message.InstrumentationScope.name, scope.name)
  text(pbf, Message.InstrumentationScope.version, scope.version)
  attributes(pbf, Message.InstrumentationScope.attributes, scope.attributes)
  uint32(pbf, Message.InstrumentationScope.droppedAttributesCount, scope.droppedAttributesCount)
}

/** Writes a `ScopeSpans` message without spans. */
export const scope = (scope: Scope, pbf: PbfWriter): void => {
  pbf.writeMessage(Message.ScopeSpans.scope, scopeFields, scope)
  text(pbf, Message.ScopeSpans.schemaUrl, scope.schemaUrl)
}
