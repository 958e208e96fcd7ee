/**
 * Rows while they are being read: empty, with every field in its place, and writable.
 */
import type { EntityRef, Resource, Scope, SpanEvent, SpanLink, SpanRow, SpanStatus } from "./SpanRow.ts"

/** A row whose own fields and lists can still be written. */
export type Draft<A> = {
  -readonly [K in keyof A]: A[K] extends ReadonlyArray<infer B> ? Array<B> : A[K]
}

export const resource = (): Draft<Resource> => ({
  attributes: [],
  droppedAttributesCount: 0,
  entityRefs: [],
  schemaUrl: ""
})

export const entityRef = (): Draft<EntityRef> => ({ schemaUrl: "", type: "", idKeys: [], descriptionKeys: [] })

export const scope = (): Draft<Scope> => ({
  name: "",
  version: "",
  attributes: [],
  droppedAttributesCount: 0,
  schemaUrl: ""
})

export const event = (): Draft<SpanEvent> => ({ time: 0n, name: "", attributes: [], droppedAttributesCount: 0 })

export const link = (): Draft<SpanLink> => ({
  traceId: "",
  spanId: "",
  traceState: "",
  attributes: [],
  droppedAttributesCount: 0,
  flags: 0
})

export const status = (): Draft<SpanStatus> => ({ code: 0, message: "" })

/** A span's own fields; its status is one object that repeated status fields write to, as protobuf merges them. */
export type SpanDraft = Draft<Omit<SpanRow, "status">> & { readonly status: Draft<SpanStatus> }

export const span = (resource: Resource, scope: Scope): SpanDraft => ({
  resource,
  scope,
  traceId: "",
  spanId: "",
  parentSpanId: "",
  traceState: "",
  flags: 0,
  name: "",
  kind: 0,
  start: 0n,
  end: 0n,
  attributes: [],
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: status()
})
