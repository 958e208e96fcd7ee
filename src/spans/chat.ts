import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import { maximumConsumesLinks, maximumViolationEvents } from "../lifecycle/limit.ts"
import type { SpanWriter } from "../lifecycle/SpanWriter.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as Event from "../semconv/event.ts"
import * as SpanName from "../semconv/span.ts"
import * as Ending from "./ending.ts"
import * as StageSpan from "./stageSpan.ts"

/** Opens `chat {model}`, or plain `chat` where no model's name is known. */
export const openChat: SpanWriter["openChat"] = (place, model, startTime) => {
  const name = model === undefined ? SpanName.chat : `${SpanName.chat} ${model}`
  const span = StageSpan.open(place, name, "client", startTime)
  if (!span.sampled) return span
  span.attribute(Attribute.genAiOperationName, SpanName.chat)
  if (model !== undefined) span.attribute(Attribute.genAiRequestModel, model)
  StageSpan.surroundings(place, span)
  return span
}

const write = (span: Tracer.Span, key: string, value: unknown): void => {
  if (value !== undefined) span.attribute(key, value)
}

/** Ends a `chat` span. */
export const endChat: SpanWriter["endChat"] = (_, span, facts, time) => {
  if (span.sampled) {
    write(span, Attribute.genAiProviderName, facts.provider)
    write(span, Attribute.genAiRequestModel, facts.requestModel)
    write(span, Attribute.genAiResponseModel, facts.responseModel)
    write(span, Attribute.genAiResponseId, facts.responseId)
    write(span, Attribute.genAiResponseFinishReasons, facts.finishReasons)
    write(span, Attribute.genAiResponseTimeToFirstChunk, facts.timeToFirstChunkSeconds)
    write(span, Attribute.genAiUsageInputTokens, facts.inputTokens)
    write(span, Attribute.genAiUsageOutputTokens, facts.outputTokens)
    write(span, Attribute.genAiUsageCacheReadInputTokens, facts.cacheReadTokens)
    write(span, Attribute.genAiUsageCacheWriteInputTokens, facts.cacheWriteTokens)
    write(span, Attribute.genAiUsageReasoningOutputTokens, facts.reasoningTokens)
    write(span, Attribute.errorType, facts.errorType)
    span.attribute(Attribute.toolspanToolCallsDecided, facts.decided)
    span.attribute(Attribute.toolspanToolCallsConsumed, facts.consumed)
  }
  span.end(
    time,
    facts.interrupted ? Ending.interrupted : facts.errorType === undefined ? Exit.void : Ending.failed(facts.errorType)
  )
}

/** Writes the `consumes` links of a request or a turn. */
export const consume: SpanWriter["consume"] = (span, results, ambiguous) => {
  if (!span.sampled) return
  const linked = results.slice(0, maximumConsumesLinks)
  if (linked.length > 0) {
    span.addLinks(linked.map((result) => StageSpan.tracerLink("consumes", result)))
    span.attribute(Attribute.toolspanLinkConsumes, linked.map(StageSpan.twin))
  }
  if (ambiguous) span.attribute(Attribute.toolspanLinkAmbiguous, true)
}

/** Writes the pairing faults of a request or a turn. */
export const violations: SpanWriter["violations"] = (_, span, found, time) => {
  if (found.length === 0 || !span.sampled) return
  for (const violation of found.slice(0, maximumViolationEvents)) {
    const attributes: Record<string, unknown> = {
      [Attribute.toolspanViolationKind]: violation.kind,
      [Attribute.toolspanViolationScope]: violation.scope
    }
    if (violation.id !== undefined) attributes[Attribute.genAiToolCallId] = violation.id
    if (violation.name !== undefined) attributes[Attribute.genAiToolName] = violation.name
    if (violation.key !== undefined) attributes[Attribute.toolspanCallKey] = violation.key
    if (violation.approvalId !== undefined) attributes[Attribute.toolspanApprovalId] = violation.approvalId
    if (violation.otherName !== undefined) attributes[Attribute.toolspanViolationOtherName] = violation.otherName
    if (violation.truncated === true) attributes[Attribute.toolspanViolationTruncated] = true
    span.event(Event.violation, time, attributes)
  }
  span.attribute(Attribute.toolspanViolationCount, found.length)
  span.attribute(Attribute.toolspanViolationKinds, [...new Set(found.map((violation) => violation.kind))].sort())
}
