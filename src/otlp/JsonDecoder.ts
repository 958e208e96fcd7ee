/**
 * OTLP trace messages from parsed OTLP/JSON. Fields that are not known are ignored, as the OTLP document asks.
 */
import * as draft from "./draft.ts"
import { Fault } from "./Fault.ts"
import { parentOf } from "./identity.ts"
import * as Json from "./JsonValue.ts"
import { maximumDepth, maximumValues, tooMany } from "./limit.ts"
import { spanKinds, statusCodes } from "./message.ts"
import type {
  Attribute,
  AttributeValue,
  EntityRef,
  Resource,
  Scope,
  SpanEvent,
  SpanLink,
  SpanRow,
  SpanStatus
} from "./SpanRow.ts"

/** Counts what a request holds. */
interface Budget {
  values: number
}

const spend = (budget: Budget): void => {
  if (++budget.values > maximumValues) throw tooMany()
}

const anyValue = (value: unknown, depth: number, budget: Budget): AttributeValue => {
  spend(budget)
  if (depth > maximumDepth) throw new Fault(`an attribute value is nested deeper than ${maximumDepth}`)
  const any = Json.object(value, "an attribute's value")
  if (isSet(any.stringValue)) return Json.text(any.stringValue, "stringValue")
  if (isSet(any.boolValue)) return Json.boolean(any.boolValue, "boolValue")
  if (isSet(any.intValue)) return Json.int64(any.intValue, "intValue")
  if (isSet(any.doubleValue)) return Json.double(any.doubleValue, "doubleValue")
  if (isSet(any.bytesValue)) return Json.bytes(any.bytesValue, "bytesValue")
  if (isSet(any.arrayValue)) {
    const values = Json.list(Json.object(any.arrayValue, "arrayValue").values, "arrayValue.values")
    return values.map((one) => anyValue(one, depth + 1, budget))
  }
  if (isSet(any.kvlistValue)) {
    return { entries: attributes(Json.object(any.kvlistValue, "kvlistValue").values, budget, depth + 1) }
  }
  return null
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const attributes = (value: unknown, budget: Budget, depth = 1): Array<Attribute> =>
  Json.list(value, "attributes").map((one) => {
    spend(budget)
    const attribute = Json.object(one, "an attribute")
    return { key: Json.text(attribute.key, "an attribute's key"), value: anyValue(attribute.value, depth, budget) }
  })

/** An id as lower-case hex. */
const id = (value: unknown, name: string): string => {
  const hex = Json.hex(value, name)
  if (hex === undefined) throw new Fault(`${name} is not hex`)
  return hex
}

const event = (value: unknown, budget: Budget): SpanEvent => {
  spend(budget)
  const event = Json.object(value, "an event")
  return {
    time: Json.uint64(event.timeUnixNano, "an event's timeUnixNano"),
    name: Json.text(event.name, "an event's name"),
    attributes: attributes(event.attributes, budget),
    droppedAttributesCount: Json.uint32(event.droppedAttributesCount, "an event's droppedAttributesCount")
  }
}

const link = (value: unknown, budget: Budget): SpanLink => {
  spend(budget)
  const link = Json.object(value, "a link")
  return {
    traceId: id(link.traceId, "a link's traceId"),
    spanId: id(link.spanId, "a link's spanId"),
    traceState: Json.text(link.traceState, "a link's traceState"),
    attributes: attributes(link.attributes, budget),
    droppedAttributesCount: Json.uint32(link.droppedAttributesCount, "a link's droppedAttributesCount"),
    flags: Json.uint32(link.flags, "a link's flags")
  }
}

const status = (value: unknown): SpanStatus => {
  const status = Json.object(value, "status")
  return {
    code: Json.enumeration(status.code, "status.code", statusCodes),
    message: Json.text(status.message, "status.message")
  }
}

const span = (value: unknown, resource: Resource, scope: Scope, budget: Budget): SpanRow => {
  spend(budget)
  const span = Json.object(value, "a span")
  return {
    resource,
    scope,
    traceId: id(span.traceId, "trace id"),
    spanId: id(span.spanId, "span id"),
    parentSpanId: parentOf(id(span.parentSpanId, "parent span id")),
    traceState: Json.text(span.traceState, "traceState"),
    flags: Json.uint32(span.flags, "flags"),
    name: Json.text(span.name, "a span's name"),
    kind: Json.enumeration(span.kind, "kind", spanKinds),
    start: Json.uint64(span.startTimeUnixNano, "startTimeUnixNano"),
    end: Json.uint64(span.endTimeUnixNano, "endTimeUnixNano"),
    attributes: attributes(span.attributes, budget),
    droppedAttributesCount: Json.uint32(span.droppedAttributesCount, "droppedAttributesCount"),
    events: Json.list(span.events, "events").map((one) => event(one, budget)),
    droppedEventsCount: Json.uint32(span.droppedEventsCount, "droppedEventsCount"),
    links: Json.list(span.links, "links").map((one) => link(one, budget)),
    droppedLinksCount: Json.uint32(span.droppedLinksCount, "droppedLinksCount"),
    status: status(span.status)
  }
}

const entityRef = (value: unknown, budget: Budget): EntityRef => {
  spend(budget)
  const ref = Json.object(value, "an entity reference")
  return {
    schemaUrl: Json.text(ref.schemaUrl, "schemaUrl"),
    type: Json.text(ref.type, "type"),
    idKeys: Json.list(ref.idKeys, "idKeys").map((key) => Json.text(key, "idKeys")),
    descriptionKeys: Json.list(ref.descriptionKeys, "descriptionKeys").map((key) => Json.text(key, "descriptionKeys"))
  }
}

const resource = (value: unknown, schemaUrl: unknown, budget: Budget): draft.Draft<Resource> => {
  const resource = Json.object(value, "resource")
  return {
    attributes: attributes(resource.attributes, budget),
    droppedAttributesCount: Json.uint32(resource.droppedAttributesCount, "droppedAttributesCount"),
    entityRefs: Json.list(resource.entityRefs, "entityRefs").map((ref) => entityRef(ref, budget)),
    schemaUrl: Json.text(schemaUrl, "schemaUrl")
  }
}

const scope = (value: unknown, schemaUrl: unknown, budget: Budget): Scope => {
  const scope = Json.object(value, "scope")
  return {
    name: Json.text(scope.name, "scope.name"),
    version: Json.text(scope.version, "scope.version"),
    attributes: attributes(scope.attributes, budget),
    droppedAttributesCount: Json.uint32(scope.droppedAttributesCount, "droppedAttributesCount"),
    schemaUrl: Json.text(schemaUrl, "schemaUrl")
  }
}

/** Reads an `ExportTraceServiceRequest`; gives each span to `take`, and why one cannot be taken to `refuse`. */
export const request = (value: unknown, take: (row: SpanRow) => void, refuse: (reason: string) => void): void => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Fault("the body is not a JSON object")
  }
  const budget: Budget = { values: 0 }
  for (const one of Json.list((value as Json.JsonObject).resourceSpans, "resourceSpans")) {
    const resourceSpans = Json.object(one, "an entry of resourceSpans")
    const from = resource(resourceSpans.resource, resourceSpans.schemaUrl, budget)
    for (const two of Json.list(resourceSpans.scopeSpans, "scopeSpans")) {
      const scopeSpans = Json.object(two, "an entry of scopeSpans")
      const by = scope(scopeSpans.scope, scopeSpans.schemaUrl, budget)
      for (const three of Json.list(scopeSpans.spans, "spans")) {
        try {
          take(span(three, from, by, budget))
        } catch (error) {
          if (!(error instanceof Fault)) throw error
          refuse(error.reason)
        }
      }
    }
  }
}
