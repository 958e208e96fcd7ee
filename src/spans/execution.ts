import * as Exit from "effect/Exit"
import { maximumPreliminaryEvents } from "../lifecycle/limit.ts"
import type { ExecutionEnd, SpanWriter } from "../lifecycle/SpanWriter.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as Event from "../semconv/event.ts"
import * as SpanName from "../semconv/span.ts"
import * as Ending from "./ending.ts"
import * as StageSpan from "./stageSpan.ts"

const maximumDescription = 256

/** Opens `execute_tool`: the handler runs under it. */
export const openExecution: SpanWriter["openExecution"] = (place, call, facts, time) => {
  const span = StageSpan.open(place, StageSpan.name(SpanName.executeTool, call), "internal", time, facts.links)
  if (!span.sampled) return span
  span.attribute(Attribute.genAiOperationName, SpanName.executeTool)
  StageSpan.describe(place, span, "execution", call, facts.links)
  StageSpan.approval(span, facts.approval, facts.approvalId)
  if (facts.description !== undefined) {
    span.attribute(Attribute.genAiToolDescription, StageSpan.cut(facts.description, maximumDescription))
  }
  if (facts.droppedArguments > 0) span.attribute(Attribute.toolspanCallDroppedArguments, facts.droppedArguments)
  if (facts.ambiguous) span.attribute(Attribute.toolspanLinkAmbiguous, true)
  if (place.content.arguments && facts.arguments !== undefined) {
    StageSpan.content(place, span, Attribute.genAiToolCallArguments, facts.arguments, "arguments", call)
  }
  return span
}

/** Writes the event of one preliminary result, `index` from 0. */
export const preliminary: SpanWriter["preliminary"] = (place, span, call, index, value, time) => {
  if (!span.sampled || index >= maximumPreliminaryEvents) return
  const attributes: Record<string, unknown> = { [Attribute.toolspanPreliminaryIndex]: index }
  if (place.content.results) {
    const written = StageSpan.valueText(place, value, "result", call)
    attributes[Attribute.genAiToolCallResult] = written.text
    if (written.truncated) span.attribute(Attribute.toolspanContentTruncated, true)
  }
  span.event(Event.preliminary, time, attributes)
}

const exitOf = (facts: ExecutionEnd): Exit.Exit<unknown, unknown> => {
  switch (facts.outcome) {
    case "success":
    case "denied":
    case "not_started":
      return Exit.void
    case "interrupted":
      return Ending.interrupted
    default:
      return Ending.failed(facts.errorType ?? "_OTHER")
  }
}

/** Ends `execute_tool`. */
export const endExecution: SpanWriter["endExecution"] = (place, span, call, facts, time) => {
  if (span.sampled) {
    span.attribute(Attribute.toolspanOutcome, facts.outcome)
    if (facts.errorType !== undefined) span.attribute(Attribute.errorType, facts.errorType)
    if (facts.failure !== undefined) {
      span.attribute(Attribute.toolspanFailureMode, facts.failure.mode)
      span.attribute(Attribute.toolspanFailureOrigin, facts.failure.origin)
    }
    if (facts.preliminaries > 0) span.attribute(Attribute.toolspanPreliminaryCount, facts.preliminaries)
    if (place.content.results) {
      if (facts.result !== undefined) {
        StageSpan.content(place, span, Attribute.genAiToolCallResult, facts.result, "result", call)
      }
      if (facts.failureValue !== undefined) {
        StageSpan.content(place, span, Attribute.errorMessage, facts.failureValue, "failure", call)
      }
    }
  }
  span.end(time, exitOf(facts))
}
