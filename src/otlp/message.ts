/**
 * The protobuf field numbers of the OTLP trace messages (opentelemetry-proto 1.7), under their OTLP/JSON names.
 */

/** `opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest` */
export const ExportTraceServiceRequest = { resourceSpans: 1 } as const

/** `opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse` */
export const ExportTraceServiceResponse = { partialSuccess: 1 } as const

/** `opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess` */
export const ExportTracePartialSuccess = { rejectedSpans: 1, errorMessage: 2 } as const

/** `opentelemetry.proto.trace.v1.ResourceSpans` */
export const ResourceSpans = { resource: 1, scopeSpans: 2, schemaUrl: 3 } as const

/** `opentelemetry.proto.trace.v1.ScopeSpans` */
export const ScopeSpans = { scope: 1, spans: 2, schemaUrl: 3 } as const

/** `opentelemetry.proto.trace.v1.Span` */
export const Span = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  parentSpanId: 4,
  name: 5,
  kind: 6,
  startTimeUnixNano: 7,
  endTimeUnixNano: 8,
  attributes: 9,
  droppedAttributesCount: 10,
  events: 11,
  droppedEventsCount: 12,
  links: 13,
  droppedLinksCount: 14,
  status: 15,
  flags: 16
} as const

/** `opentelemetry.proto.trace.v1.Span.Event` */
export const SpanEvent = { timeUnixNano: 1, name: 2, attributes: 3, droppedAttributesCount: 4 } as const

/** `opentelemetry.proto.trace.v1.Span.Link` */
export const SpanLink = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  attributes: 4,
  droppedAttributesCount: 5,
  flags: 6
} as const

/** `opentelemetry.proto.trace.v1.Status` */
export const Status = { message: 2, code: 3 } as const

/** `opentelemetry.proto.resource.v1.Resource` */
export const Resource = { attributes: 1, droppedAttributesCount: 2, entityRefs: 3 } as const

/** `opentelemetry.proto.common.v1.EntityRef` */
export const EntityRef = { schemaUrl: 1, type: 2, idKeys: 3, descriptionKeys: 4 } as const

/** `opentelemetry.proto.common.v1.InstrumentationScope` */
export const InstrumentationScope = { name: 1, version: 2, attributes: 3, droppedAttributesCount: 4 } as const

/** `opentelemetry.proto.common.v1.KeyValue` */
export const KeyValue = { key: 1, value: 2 } as const

/** `opentelemetry.proto.common.v1.AnyValue` */
export const AnyValue = {
  stringValue: 1,
  boolValue: 2,
  intValue: 3,
  doubleValue: 4,
  arrayValue: 5,
  kvlistValue: 6,
  bytesValue: 7
} as const

/** `opentelemetry.proto.common.v1.ArrayValue` and `opentelemetry.proto.common.v1.KeyValueList` */
export const ValueList = { values: 1 } as const

/** `google.rpc.Status` */
export const RpcStatus = { code: 1, message: 2 } as const

/** `opentelemetry.proto.trace.v1.Span.SpanKind`, by number. */
export const spanKinds = [
  "SPAN_KIND_UNSPECIFIED",
  "SPAN_KIND_INTERNAL",
  "SPAN_KIND_SERVER",
  "SPAN_KIND_CLIENT",
  "SPAN_KIND_PRODUCER",
  "SPAN_KIND_CONSUMER"
] as const

/** `opentelemetry.proto.trace.v1.Status.StatusCode`, by number. */
export const statusCodes = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"] as const
