/**
 * OTLP trace messages from protobuf. Fields that are not known are skipped, as protobuf asks.
 */
import * as draft from "./draft.ts"
import { Fault } from "./Fault.ts"
import { parentOf } from "./identity.ts"
import { maximumDepth } from "./limit.ts"
import * as Message from "./message.ts"
import type { Attribute, AttributeValue, Resource, Scope, SpanRow } from "./SpanRow.ts"
import type { FieldReader, WireReader } from "./WireReader.ts"

interface ValueSlot {
  value: AttributeValue
}

const readValues: FieldReader<Array<AttributeValue>> = (field, values, reader) => {
  if (field === Message.ValueList.values) values.push(readAny(reader))
}

const readEntries: FieldReader<Array<Attribute>> = (field, entries, reader) => {
  if (field === Message.ValueList.values) entries.push(readAttribute(reader))
}

const readValue: FieldReader<ValueSlot> = (field, slot, reader) => {
  switch (field) {
    case Message.AnyValue.stringValue:
      slot.value = reader.text()
      break
    case Message.AnyValue.boolValue:
      slot.value = reader.boolean()
      break
    case Message.AnyValue.intValue:
      slot.value = reader.int64()
      break
    case Message.AnyValue.doubleValue:
      slot.value = reader.double()
      break
    case Message.AnyValue.arrayValue:
      slot.value = reader.message<Array<AttributeValue>>([], readValues)
      break
    case Message.AnyValue.kvlistValue:
      slot.value = { entries: reader.message<Array<Attribute>>([], readEntries) }
      break
    case Message.AnyValue.bytesValue:
      slot.value = reader.bytes()
      break
  }
}

const readInto = (slot: ValueSlot, reader: WireReader): void => {
  if (++reader.depth > maximumDepth) throw new Fault(`an attribute value is nested deeper than ${maximumDepth}`)
  reader.message(slot, readValue)
  reader.depth--
}

const readAny = (reader: WireReader): AttributeValue => {
  const slot: ValueSlot = { value: null }
  readInto(slot, reader)
  return slot.value
}

const readKeyValue: FieldReader<draft.Draft<Attribute>> = (field, attribute, reader) => {
  if (field === Message.KeyValue.key) attribute.key = reader.text()
  else if (field === Message.KeyValue.value) readInto(attribute, reader)
}

const readAttribute = (reader: WireReader): Attribute =>
  reader.message<draft.Draft<Attribute>>({ key: "", value: null }, readKeyValue)

const readEvent: FieldReader<ReturnType<typeof draft.event>> = (field, event, reader) => {
  switch (field) {
    case Message.SpanEvent.timeUnixNano:
      event.time = reader.fixed64()
      break
    case Message.SpanEvent.name:
      event.name = reader.text()
      break
    case Message.SpanEvent.attributes:
      event.attributes.push(readAttribute(reader))
      break
    case Message.SpanEvent.droppedAttributesCount:
      event.droppedAttributesCount = reader.uint32()
      break
  }
}

const readLink: FieldReader<ReturnType<typeof draft.link>> = (field, link, reader) => {
  switch (field) {
    case Message.SpanLink.traceId:
      link.traceId = reader.hex()
      break
    case Message.SpanLink.spanId:
      link.spanId = reader.hex()
      break
    case Message.SpanLink.traceState:
      link.traceState = reader.text()
      break
    case Message.SpanLink.attributes:
      link.attributes.push(readAttribute(reader))
      break
    case Message.SpanLink.droppedAttributesCount:
      link.droppedAttributesCount = reader.uint32()
      break
    case Message.SpanLink.flags:
      link.flags = reader.fixed32()
      break
  }
}

const readStatus: FieldReader<ReturnType<typeof draft.status>> = (field, status, reader) => {
  if (field === Message.Status.message) status.message = reader.text()
  else if (field === Message.Status.code) status.code = reader.int32()
}

const readSpan: FieldReader<draft.SpanDraft> = (field, span, reader) => {
  switch (field) {
    case Message.Span.traceId:
      span.traceId = reader.hex()
      break
    case Message.Span.spanId:
      span.spanId = reader.hex()
      break
    case Message.Span.traceState:
      span.traceState = reader.text()
      break
    case Message.Span.parentSpanId:
      span.parentSpanId = parentOf(reader.hex())
      break
    case Message.Span.name:
      span.name = reader.text()
      break
    case Message.Span.kind:
      span.kind = reader.int32()
      break
    case Message.Span.startTimeUnixNano:
      span.start = reader.fixed64()
      break
    case Message.Span.endTimeUnixNano:
      span.end = reader.fixed64()
      break
    case Message.Span.attributes:
      span.attributes.push(readAttribute(reader))
      break
    case Message.Span.droppedAttributesCount:
      span.droppedAttributesCount = reader.uint32()
      break
    case Message.Span.events:
      span.events.push(reader.message(draft.event(), readEvent))
      break
    case Message.Span.droppedEventsCount:
      span.droppedEventsCount = reader.uint32()
      break
    case Message.Span.links:
      span.links.push(reader.message(draft.link(), readLink))
      break
    case Message.Span.droppedLinksCount:
      span.droppedLinksCount = reader.uint32()
      break
    case Message.Span.status:
      reader.message(span.status, readStatus)
      break
    case Message.Span.flags:
      span.flags = reader.fixed32()
      break
  }
}

const readScope: FieldReader<ReturnType<typeof draft.scope>> = (field, scope, reader) => {
  switch (field) {
    case Message.InstrumentationScope.name:
      scope.name = reader.text()
      break
    case Message.InstrumentationScope.version:
      scope.version = reader.text()
      break
    case Message.InstrumentationScope.attributes:
      scope.attributes.push(readAttribute(reader))
      break
    case Message.InstrumentationScope.droppedAttributesCount:
      scope.droppedAttributesCount = reader.uint32()
      break
  }
}

const readEntityRef: FieldReader<ReturnType<typeof draft.entityRef>> = (field, ref, reader) => {
  switch (field) {
    case Message.EntityRef.schemaUrl:
      ref.schemaUrl = reader.text()
      break
    case Message.EntityRef.type:
      ref.type = reader.text()
      break
    case Message.EntityRef.idKeys:
      ref.idKeys.push(reader.text())
      break
    case Message.EntityRef.descriptionKeys:
      ref.descriptionKeys.push(reader.text())
      break
  }
}

const readResource: FieldReader<ReturnType<typeof draft.resource>> = (field, resource, reader) => {
  switch (field) {
    case Message.Resource.attributes:
      resource.attributes.push(readAttribute(reader))
      break
    case Message.Resource.droppedAttributesCount:
      resource.droppedAttributesCount = reader.uint32()
      break
    case Message.Resource.entityRefs:
      resource.entityRefs.push(reader.message(draft.entityRef(), readEntityRef))
      break
  }
}

/** Takes spans with the messages that they were read from, and is told why one cannot be read. */
interface Taker {
  readonly take: (row: SpanRow, encoded: Uint8Array) => void
  readonly refuse: (reason: string) => void
}

interface ScopeSpans {
  readonly resource: Resource
  readonly scope: ReturnType<typeof draft.scope>
  readonly taker: Taker
}

const readSpanInto = ({ resource, scope, taker }: ScopeSpans, reader: WireReader): void => {
  const span = draft.span(resource, scope)
  const encoded = reader.attempt(span, readSpan)
  if (typeof encoded === "string") taker.refuse(encoded)
  else taker.take(span, encoded)
}

const readScopeSpans: FieldReader<ScopeSpans> = (field, target, reader) => {
  switch (field) {
    case Message.ScopeSpans.scope:
      reader.message(target.scope, readScope)
      break
    case Message.ScopeSpans.spans:
      readSpanInto(target, reader)
      break
    case Message.ScopeSpans.schemaUrl:
      target.scope.schemaUrl = reader.text()
      break
  }
}

interface ResourceSpans {
  readonly resource: ReturnType<typeof draft.resource>
  readonly taker: Taker
}

const readResourceSpans: FieldReader<ResourceSpans> = (field, target, reader) => {
  switch (field) {
    case Message.ResourceSpans.resource:
      reader.message(target.resource, readResource)
      break
    case Message.ResourceSpans.scopeSpans:
      reader.message({ resource: target.resource, scope: draft.scope(), taker: target.taker }, readScopeSpans)
      break
    case Message.ResourceSpans.schemaUrl:
      target.resource.schemaUrl = reader.text()
      break
  }
}

const readRequest: FieldReader<Taker> = (field, taker, reader) => {
  if (field === Message.ExportTraceServiceRequest.resourceSpans) {
    reader.message({ resource: draft.resource(), taker }, readResourceSpans)
  }
}

/** Reads an `ExportTraceServiceRequest`; gives each span to `take` as it comes, and why one cannot be read to `refuse`. */
export const request = (reader: WireReader, take: Taker["take"], refuse: Taker["refuse"]): void => {
  reader.fields({ take, refuse }, readRequest)
}

const nobody: Taker = { take: () => {}, refuse: () => {} }

/** Reads one `Span` message, which is all that the reader holds. */
export const span = (reader: WireReader, resource: Resource, scope: Scope): SpanRow =>
  reader.fields(draft.span(resource, scope), readSpan)

/** Reads a `ResourceSpans` message without spans. */
export const resource = (reader: WireReader): Resource =>
  reader.fields({ resource: draft.resource(), taker: nobody }, readResourceSpans).resource

/** Reads a `ScopeSpans` message without spans. */
export const scope = (reader: WireReader): Scope =>
  reader.fields({ resource: draft.resource(), scope: draft.scope(), taker: nobody }, readScopeSpans).scope
