/** What one stored span says of a tool call, read without trusting it. */
import * as Attribute from "../semconv/attribute.ts"
import * as Link from "../semconv/link.ts"
import type { Stage } from "../semconv/registry.ts"
import * as SpanName from "../semconv/span.ts"
import type { SpanAddress, StoredSpan } from "../store/TraceReader.ts"

/** One span as the store keeps it. */
export type SpanRow = StoredSpan["row"]

type Attributes = SpanRow["attributes"]
type AttributeValue = Attributes[number]["value"]

/** A link of one of toolspan's kinds, from the link itself or from its twin attribute. */
export interface StageLink extends SpanAddress {
  readonly type: Link.LinkType
}

const stages: ReadonlySet<string> = new Set<Stage>(["decision", "approval", "execution", "result"])
const linkTypes: ReadonlySet<string> = new Set(Link.types)
const turns: ReadonlySet<string> = new Set(SpanName.turns)
const twin = /^([0-9a-f]{32})-([0-9a-f]{16})$/

/** The standard name of the resource attribute that tells which service a span came from. */
const serviceName = "service.name"

const valueOf = (attributes: Attributes, key: string): AttributeValue | undefined =>
  attributes.find((attribute) => attribute.key === key)?.value

/** The attribute as text; `undefined` when it is absent or no text. */
export const text = (attributes: Attributes, key: string): string | undefined => {
  const value = valueOf(attributes, key)
  return typeof value === "string" ? value : undefined
}

/** The attribute as a number, also when it was sent as an integer; `undefined` when it is absent or no number. */
export const number = (attributes: Attributes, key: string): number | undefined => {
  const value = valueOf(attributes, key)
  if (typeof value === "bigint") return Number(value)
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

/** How long the answer says that it was waited for, in milliseconds. */
export const waitOf = (row: SpanRow): number | undefined => {
  const seconds = number(row.attributes, Attribute.toolspanApprovalWait)
  return seconds !== undefined && Number.isFinite(seconds * 1000) ? seconds * 1000 : undefined
}

/** Whether the attribute is `true`. */
export const flag = (attributes: Attributes, key: string): boolean => valueOf(attributes, key) === true

/** The texts of a list attribute; one text counts as a list of one, and JSON text of a list as that list. */
const texts = (attributes: Attributes, key: string): ReadonlyArray<string> => {
  const value = valueOf(attributes, key)
  if (typeof value === "string") {
    return value.startsWith("[")
      ? value.match(/[0-9a-f]{32}-[0-9a-f]{16}/g) ?? []
      : [value]
  }
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : []
}

/** One text that identifies a span. */
export const addressText = (address: SpanAddress): string => `${address.traceId}-${address.spanId}`

/** The span's parent; `undefined` for a root. */
export const parentOf = (row: SpanRow): SpanAddress | undefined =>
  row.parentSpanId === "" ? undefined : { traceId: row.traceId, spanId: row.parentSpanId }

/** The stage of the span; an `execute_tool` span of another instrumentation is an execution. */
export const stageOf = (row: SpanRow): Stage | undefined => {
  const stage = text(row.attributes, Attribute.toolspanStage)
  if (stage !== undefined) return stages.has(stage) ? stage as Stage : undefined
  return text(row.attributes, Attribute.genAiOperationName) === SpanName.executeTool ? "execution" : undefined
}

/** The call's id as the provider gave it. */
export const idOf = (row: SpanRow): string | undefined => text(row.attributes, Attribute.genAiToolCallId)

/** The call's key, or its id on a span of another instrumentation. */
export const keyOf = (row: SpanRow): string | undefined => text(row.attributes, Attribute.toolspanCallKey) ?? idOf(row)

/** The conversation that the app named. */
export const conversationOf = (row: SpanRow): string | undefined => text(row.attributes, Attribute.genAiConversationId)

/** The service that the span came from. */
export const serviceOf = (row: SpanRow): string | undefined => text(row.resource.attributes, serviceName)

/** Whether the span is a provider request. */
export const isChat = (row: SpanRow): boolean => text(row.attributes, Attribute.genAiOperationName) === SpanName.chat

/** Whether the span is a turn, one of Effect's own spans. */
export const isTurn = (row: SpanRow): boolean => turns.has(row.name)

/** The links of the span, each once, whether the link or only its twin attribute has arrived. */
export const linksOf = (row: SpanRow): ReadonlyArray<StageLink> => {
  const links = new Map<string, StageLink>()
  const add = (type: string, traceId: string, spanId: string) => {
    if (linkTypes.has(type)) links.set(`${type} ${traceId}-${spanId}`, { type: type as Link.LinkType, traceId, spanId })
  }
  for (const link of row.links) add(text(link.attributes, Attribute.toolspanLinkType) ?? "", link.traceId, link.spanId)
  for (const type of Link.types) {
    for (const address of texts(row.attributes, twins[type])) {
      const match = twin.exec(address)
      if (match !== null) add(type, match[1]!, match[2]!)
    }
  }
  return [...links.values()]
}

const twins: Readonly<Record<Link.LinkType, string>> = {
  decided_by: Attribute.toolspanLinkDecidedBy,
  approved_by: Attribute.toolspanLinkApprovedBy,
  answers: Attribute.toolspanLinkAnswers,
  result_of: Attribute.toolspanLinkResultOf,
  consumes: Attribute.toolspanLinkConsumes
}
