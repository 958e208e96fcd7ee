/**
 * Rows for store tests, with what a test does not care about filled in.
 */
import type { Attributes, AttributeValue, SpanLink, SpanRow } from "../../src/otlp/SpanRow.ts"

/** An id of so many bytes with this number at its end. */
const id = (bytes: number, number: number): string => number.toString(16).padStart(bytes * 2, "0")

export const traceId = (number: number): string => id(16, number)
export const spanId = (number: number): string => id(8, number)

export const attributes = (record: Readonly<Record<string, AttributeValue>>): Attributes =>
  Object.entries(record).map(([key, value]) => ({ key, value }))

export const link = (trace: number, span: number, type?: string): SpanLink => ({
  traceId: traceId(trace),
  spanId: spanId(span),
  traceState: "",
  attributes: type === undefined ? [] : attributes({ "toolspan.link.type": type }),
  droppedAttributesCount: 0,
  flags: 0
})

/** A span numbered `number`, which starts that many seconds after 2023-11-14. */
export const row = (
  number: number,
  more: Partial<Omit<SpanRow, "attributes">> & {
    readonly trace?: number
    readonly service?: string
    readonly attributes?: Readonly<Record<string, AttributeValue>>
  } = {}
): SpanRow => {
  const { attributes: given, service, trace, ...fields } = more
  const start = 1_700_000_000_000_000_000n + BigInt(number) * 1_000_000_000n
  return {
    resource: {
      attributes: attributes({ "service.name": service ?? "app" }),
      droppedAttributesCount: 0,
      entityRefs: [],
      schemaUrl: ""
    },
    scope: { name: "toolspan", version: "1", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
    traceId: traceId(trace ?? 1),
    spanId: spanId(number),
    parentSpanId: "",
    traceState: "",
    flags: 0,
    name: "span",
    kind: 1,
    start,
    end: start + 1_000_000n,
    attributes: attributes(given ?? {}),
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    status: { code: 0, message: "" },
    ...fields
  }
}
