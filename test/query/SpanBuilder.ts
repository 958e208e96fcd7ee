/** Builds spans as an instrumented app would send them; spans are named by labels such as `t1/turn`. */
import { createHash } from "node:crypto"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { LinkType } from "../../src/semconv/link.ts"
import type { AttributeValue, SpanRow } from "../../src/otlp/SpanRow.ts"

export type Values = Readonly<Record<string, AttributeValue>>

export interface SpanDraft {
  /** `trace/span`. */
  readonly label: string
  readonly name: string
  /** The label of the parent. */
  readonly parent?: string
  /** Milliseconds after {@link origin}. */
  readonly at: number
  /** Milliseconds. */
  readonly took?: number
  readonly attributes?: Values
  readonly links?: ReadonlyArray<readonly [type: LinkType, label: string]>
  /** What has arrived of the links: the link and its twin attribute unless told otherwise. */
  readonly linkForm?: "both" | "link" | "twin"
  readonly events?: ReadonlyArray<{ readonly name: string; readonly at: number; readonly attributes: Values }>
  readonly failed?: boolean
  readonly service?: string
}

/** 2026-03-01T09:12:03.120Z in unix nanoseconds. */
export const origin = BigInt(Date.UTC(2026, 2, 1, 9, 12, 3, 120)) * 1_000_000n

const hex = (text: string, digits: number) => createHash("sha256").update(text).digest("hex").slice(0, digits)

export const traceId = (label: string) => hex(`trace ${label.split("/")[0]}`, 32)
export const spanId = (label: string) => hex(`span ${label}`, 16)
export const addressOf = (label: string) => `${traceId(label)}-${spanId(label)}`

const nanos = (millis: number) => origin + BigInt(Math.round(millis * 1e6))

const list = (values: Values) => Object.entries(values).map(([key, value]) => ({ key, value }))

const scope = { name: "toolspan", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" }

/** The span row of a draft. */
export const spanRow = (draft: SpanDraft): SpanRow => {
  const { attributes = {}, events = [], links = [], linkForm = "both", service = "assistant", took = 0 } = draft
  const twins: Record<string, AttributeValue> = {}
  for (const [type, label] of links) {
    const key = `toolspan.link.${type}`
    if (linkForm === "link") continue
    if (type !== "consumes") twins[key] = addressOf(label)
    else twins[key] = [...(twins[key] as ReadonlyArray<string> | undefined ?? []), addressOf(label)]
  }
  return {
    resource: {
      attributes: [{ key: "service.name", value: service }],
      droppedAttributesCount: 0,
      entityRefs: [],
      schemaUrl: ""
    },
    scope,
    traceId: traceId(draft.label),
    spanId: spanId(draft.label),
    parentSpanId: draft.parent === undefined ? "" : spanId(draft.parent),
    traceState: "",
    flags: 0,
    name: draft.name,
    kind: 1,
    start: nanos(draft.at),
    end: nanos(draft.at + took),
    attributes: list({ ...attributes, ...twins }),
    droppedAttributesCount: 0,
    events: events.map((event) => ({
      time: nanos(event.at),
      name: event.name,
      attributes: list(event.attributes),
      droppedAttributesCount: 0
    })),
    droppedEventsCount: 0,
    links: linkForm === "twin" ? [] : links.map(([type, label]) => ({
      traceId: traceId(label),
      spanId: spanId(label),
      traceState: "",
      attributes: list({ [Attribute.toolspanLinkType]: type }),
      droppedAttributesCount: 0,
      flags: 0
    })),
    droppedLinksCount: 0,
    status: { code: draft.failed === true ? 2 : 0, message: "" }
  }
}

const jsonValue = (value: AttributeValue): unknown => {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "bigint") return { intValue: String(value) }
  if (typeof value === "number") return { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } }
  throw new Error("not needed in a test")
}

const jsonList = (attributes: SpanRow["attributes"]) =>
  attributes.map(({ key, value }) => ({ key, value: jsonValue(value) }))

/** An OTLP/JSON trace request with these rows. */
export const otlpJson = (rows: ReadonlyArray<SpanRow>): string =>
  JSON.stringify({
    resourceSpans: rows.map((row) => ({
      resource: { attributes: jsonList(row.resource.attributes) },
      scopeSpans: [{
        scope: { name: row.scope.name },
        spans: [{
          traceId: row.traceId,
          spanId: row.spanId,
          parentSpanId: row.parentSpanId,
          name: row.name,
          kind: row.kind,
          startTimeUnixNano: String(row.start),
          endTimeUnixNano: String(row.end),
          attributes: jsonList(row.attributes),
          events: row.events.map((event) => ({
            timeUnixNano: String(event.time),
            name: event.name,
            attributes: jsonList(event.attributes)
          })),
          links: row.links.map((link) => ({
            traceId: link.traceId,
            spanId: link.spanId,
            attributes: jsonList(link.attributes)
          })),
          status: row.status.code === 0 ? {} : { code: row.status.code }
        }]
      }]
    }))
  })
