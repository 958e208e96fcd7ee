import * as Exit from "effect/Exit"
import type { SpanWriter } from "../lifecycle/SpanWriter.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as SpanName from "../semconv/span.ts"
import * as Ending from "./ending.ts"
import * as StageSpan from "./stageSpan.ts"

/** Opens `tool_call`; it is ended when the approval's state is known. */
export const openDecision: SpanWriter["openDecision"] = (place, call, startTime) =>
  StageSpan.open(place, StageSpan.name(SpanName.toolCall, call), "internal", startTime)

/** Ends `tool_call` at the time at which the call was complete. */
export const endDecision: SpanWriter["endDecision"] = (place, span, call, facts, time) => {
  if (span.sampled) {
    StageSpan.describe(place, span, "decision", call)
    StageSpan.approval(span, facts.approval, facts.approvalId)
    if (facts.deltas !== undefined) span.attribute(Attribute.toolspanCallParamsDeltas, facts.deltas)
    if (facts.bytes !== undefined) span.attribute(Attribute.toolspanCallParamsBytes, facts.bytes)
    if (facts.incomplete) span.attribute(Attribute.toolspanCallIncomplete, true)
    if (facts.droppedArguments > 0) span.attribute(Attribute.toolspanCallDroppedArguments, facts.droppedArguments)
    if (facts.wireItemId !== undefined) span.attribute(Attribute.toolspanCallWireItemId, facts.wireItemId)
    if (facts.callerId !== undefined) span.attribute(Attribute.toolspanCallCallerId, facts.callerId)
    if (place.content.arguments) {
      const key = Attribute.genAiToolCallArguments
      if (facts.argumentsText !== undefined) {
        StageSpan.contentText(place, span, key, facts.argumentsText, "arguments", call)
      } else if (facts.arguments !== undefined) {
        StageSpan.content(place, span, key, facts.arguments, "arguments", call)
      }
    }
  }
  span.end(time, facts.errorType === undefined ? Exit.void : Ending.failed(facts.errorType))
}
