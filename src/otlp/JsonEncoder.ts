/**
 * Rows to OTLP/JSON: the same that {@link ./JsonDecoder.ts} reads, with nothing lost.
 */
import type {
  Attribute,
  Attributes,
  AttributeValue,
  EntityRef,
  Resource,
  Scope,
  SpanEvent,
  SpanLink,
  SpanRow
} from "./SpanRow.ts"

type Json = { readonly [key: string]: unknown }

/** What has its default is not written, as in protobuf. */
const written = (fields: Json): Json =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) =>
      value !== "" && value !== 0 && value !== undefined && !(Array.isArray(value) && value.length === 0)
    )
  )

const time = (value: bigint): string | undefined => value === 0n ? undefined : String(value)

/** JSON has no number for these, and would lose the sign of a negative zero. */
const double = (value: number): number | string =>
  Number.isFinite(value) ? Object.is(value, -0) ? "-0" : value : String(value)

/** Writes the one field that is set, also when its value is the default: an empty text is not an absent value. */
const any = (value: AttributeValue): Json => {
  switch (typeof value) {
    case "string":
      return { stringValue: value }
    case "boolean":
      return { boolValue: value }
    case "bigint":
      return { intValue: String(value) }
    case "number":
      return { doubleValue: double(value) }
  }
  if (value === null) return {}
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString("base64") }
  if ("entries" in value && !Array.isArray(value)) {
    return { kvlistValue: { values: attributes((value as { readonly entries: Attributes }).entries) } }
  }
  return { arrayValue: { values: (value as ReadonlyArray<AttributeValue>).map(any) } }
}

const attribute = ({ key, value }: Attribute): Json => ({ key, value: any(value) })

const attributes = (list: Attributes): ReadonlyArray<Json> => list.map(attribute)

const event = ({ attributes: list, droppedAttributesCount, name, time: at }: SpanEvent): Json =>
  written({ timeUnixNano: time(at), name, attributes: attributes(list), droppedAttributesCount })

const link = ({ attributes: list, ...link }: SpanLink): Json => written({ ...link, attributes: attributes(list) })

const span = (row: SpanRow): Json =>
  written({
    traceId: row.traceId,
    spanId: row.spanId,
    traceState: row.traceState,
    parentSpanId: row.parentSpanId,
    flags: row.flags,
    name: row.name,
    kind: row.kind,
    startTimeUnixNano: time(row.start),
    endTimeUnixNano: time(row.end),
    attributes: attributes(row.attributes),
    droppedAttributesCount: row.droppedAttributesCount,
    events: row.events.map(event),
    droppedEventsCount: row.droppedEventsCount,
    links: row.links.map(link),
    droppedLinksCount: row.droppedLinksCount,
    status: row.status.code === 0 && row.status.message === "" ? undefined : written({ ...row.status })
  })

const entityRef = (ref: EntityRef): Json => written({ ...ref })

const resource = ({ attributes: list, droppedAttributesCount, entityRefs }: Resource): Json =>
  written({ attributes: attributes(list), droppedAttributesCount, entityRefs: entityRefs.map(entityRef) })

const scope = ({ attributes: list, droppedAttributesCount, name, version }: Scope): Json =>
  written({ name, version, attributes: attributes(list), droppedAttributesCount })

const withSchema = (fields: Json, schemaUrl: string): string =>
  JSON.stringify(written({ ...fields, schemaUrl })).slice(0, -1)

/** The text of each object, written once. */
const remembered = <A extends object>(write: (value: A) => string): (value: A) => string => {
  const known = new WeakMap<A, string>()
  return (value) => {
    const there = known.get(value)
    if (there !== undefined) return there
    const text = write(value)
    known.set(value, text)
    return text
  }
}

/** Texts of spans by the texts of their resource and of their scope. */
type Grouped = Map<string, Map<string, Array<string>>>

const request = (grouped: Grouped): string => {
  const resourceSpans = [...grouped].map(([from, scopes]) => {
    const scopeSpans = [...scopes].map(([by, spans]) => `${by},"spans":[${spans.join(",")}]}`)
    return `${from},"scopeSpans":[${scopeSpans.join(",")}]}`
  })
  return `{"resourceSpans":[${resourceSpans.join(",")}]}`
}

/**
 * The rows as `ExportTraceServiceRequest` messages, each a JSON text on one line of about `lengthAtMost` characters, or
 * of one span that is longer. Rows that have the same resource and scope are written under one.
 */
export function* requests(rows: ReadonlyArray<SpanRow>, lengthAtMost: number): Generator<string> {
  const resourceText = remembered<Resource>((from) => withSchema({ resource: resource(from) }, from.schemaUrl))
  const scopeText = remembered<Scope>((by) => withSchema({ scope: scope(by) }, by.schemaUrl))
  let grouped: Grouped = new Map()
  let length = 0
  for (const row of rows) {
    const text = JSON.stringify(span(row))
    if (length > 0 && length + text.length > lengthAtMost) {
      yield request(grouped)
      grouped = new Map()
      length = 0
    }
    length += text.length
    const [from, by] = [resourceText(row.resource), scopeText(row.scope)]
    const scopes = grouped.get(from) ?? new Map<string, Array<string>>()
    if (scopes.size === 0) grouped.set(from, scopes)
    const spans = scopes.get(by)
    if (spans === undefined) scopes.set(by, [text])
    else spans.push(text)
  }
  if (length > 0) yield request(grouped)
}
