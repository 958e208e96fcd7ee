/** What the four stage spans of a call have in common. */
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import type { Link, Place } from "../lifecycle/SpanWriter.ts"
import type { ApprovalState } from "../lifecycle/ToolCall.ts"
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as Attribute from "../semconv/attribute.ts"
import type { Stage } from "../semconv/registry.ts"
import * as SpanName from "../semconv/span.ts"
import type { ContentPlace } from "../settings/settings.ts"
import * as Content from "./content.ts"
import * as UnsampledSpan from "./unsampledSpan.ts"

const maximumRequestedName = 128

const noLinks: ReadonlyArray<Link> = []

const annotations = Context.empty()

/** The twin of a link: the same target as an attribute, for backends that drop links. */
export const twin = (span: Tracer.AnySpan): string => `${span.traceId}-${span.spanId}`

const twinKeys = {
  decided_by: Attribute.toolspanLinkDecidedBy,
  approved_by: Attribute.toolspanLinkApprovedBy,
  answers: Attribute.toolspanLinkAnswers,
  result_of: Attribute.toolspanLinkResultOf,
  consumes: Attribute.toolspanLinkConsumes
} as const

/** A link as the tracer takes it. */
export const tracerLink = (type: Link["type"], span: Tracer.AnySpan): Tracer.SpanLink => ({
  span,
  attributes: { [Attribute.toolspanLinkType]: type }
})

/** Opens a span at a place; what the app wants on each of its spans is on it. */
export const open = (
  place: Place,
  name: string,
  kind: Tracer.SpanKind,
  startTime: bigint,
  links: ReadonlyArray<Link> = noLinks
): Tracer.Span => {
  if (place.silent && place.parent !== undefined) return UnsampledSpan.make(name, place.parent, kind, startTime)
  const span = place.tracer.span({
    name,
    parent: place.parent === undefined ? Option.none() : Option.some(place.parent),
    annotations,
    links: links.map((link) => tracerLink(link.type, link.to)),
    startTime,
    kind,
    root: false,
    sampled: place.sampled
  })
  for (const key in place.annotations) span.attribute(key, place.annotations[key])
  return span
}

/** The span name of a stage: with the toolkit's name of the tool, never with one that the model invented. */
export const name = (prefix: string, call: TrackedCall): string =>
  `${prefix} ${call.call.identity.name ?? SpanName.unknownTool}`

/** Writes what every stage span says of its call, and the twins of its links. */
export const describe = (
  place: Place,
  span: Tracer.Span,
  stage: Stage,
  call: TrackedCall,
  links: ReadonlyArray<Link> = noLinks
): void => {
  if (!span.sampled) return
  const identity = call.call.identity
  span.attribute(Attribute.toolspanStage, stage)
  if (identity.name !== undefined) span.attribute(Attribute.genAiToolName, identity.name)
  if (identity.id !== undefined) span.attribute(Attribute.genAiToolCallId, identity.id)
  span.attribute(Attribute.genAiToolType, identity.providerExecuted ? "extension" : "function")
  span.attribute(Attribute.toolspanCallKey, identity.key)
  span.attribute(Attribute.toolspanCallIdSource, identity.idSource)
  if (identity.occurrence > 1) span.attribute(Attribute.toolspanCallOccurrence, identity.occurrence)
  if (identity.wireName !== undefined) span.attribute(Attribute.toolspanToolWireName, identity.wireName)
  if (identity.requestedName !== undefined) {
    span.attribute(Attribute.toolspanToolRequestedName, cut(identity.requestedName, maximumRequestedName))
  }
  if (identity.providerExecuted) span.attribute(Attribute.toolspanProviderExecuted, true)
  surroundings(place, span)
  for (const link of links) span.attribute(twinKeys[link.type], twin(link.to))
}

/** Writes the conversation and the agent that the app named. */
export const surroundings = (place: Place, span: Tracer.Span): void => {
  if (place.conversation !== undefined) span.attribute(Attribute.genAiConversationId, place.conversation)
  if (place.agent !== undefined) span.attribute(Attribute.genAiAgentName, place.agent)
}

/** At most `maximum` characters (UTF-16) of a text, with no pair of them cut in two. */
export const cut = (text: string, maximum: number): string =>
  text.length <= maximum ? text : text.slice(0, maximum).replace(/[\ud800-\udbff]$/, "")

/** Writes the approval's state and id. */
export const approval = (span: Tracer.Span, state: ApprovalState, approvalId: string | undefined): void => {
  span.attribute(Attribute.toolspanApprovalState, state)
  if (approvalId !== undefined) span.attribute(Attribute.toolspanApprovalId, approvalId)
}

/** A content value as the settings of the place allow it. */
export const valueText = (
  place: Place,
  value: unknown,
  kind: ContentPlace["kind"],
  call: TrackedCall
): Content.ContentText => Content.make(value, place.content, { tool: call.call.identity.name, kind })

/** Writes a content value under `key`, cut and marked as the settings say; gives its full size in bytes. */
export const content = (
  place: Place,
  span: Tracer.Span,
  key: string,
  value: unknown,
  kind: ContentPlace["kind"],
  call: TrackedCall
): number => write(span, key, Content.make(value, place.content, { tool: call.call.identity.name, kind }))

/** The same for a text that is to be JSON and is none: it is not quoted once more. */
export const contentText = (
  place: Place,
  span: Tracer.Span,
  key: string,
  text: string,
  kind: ContentPlace["kind"],
  call: TrackedCall
): number => write(span, key, Content.ofText(text, place.content, { tool: call.call.identity.name, kind }))

const write = (span: Tracer.Span, key: string, written: Content.ContentText): number => {
  span.attribute(key, written.text)
  if (written.truncated) span.attribute(Attribute.toolspanContentTruncated, true)
  return written.bytes
}

/** Ends an instant that went well. */
export const instant = (span: Tracer.Span, time: bigint): Tracer.Span => {
  span.end(time, Exit.void)
  return span
}
