import * as Exit from "effect/Exit"
import type { Link, SpanWriter } from "../lifecycle/SpanWriter.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as SpanName from "../semconv/span.ts"
import * as Ending from "./ending.ts"
import * as StageSpan from "./stageSpan.ts"

/** Writes `tool_result`, an instant: the final result of the call is known. */
export const result: SpanWriter["result"] = (place, call, facts, time) => {
  const links: ReadonlyArray<Link> = facts.link === undefined ? [] : [facts.link]
  const span = StageSpan.open(place, StageSpan.name(SpanName.toolResult, call), "internal", time, links)
  if (span.sampled) {
    StageSpan.describe(place, span, "result", call, links)
    StageSpan.approval(span, facts.approval, facts.approvalId)
    span.attribute(Attribute.toolspanOutcome, facts.outcome)
    span.attribute(Attribute.toolspanResultOrigin, facts.origin)
    if (facts.failure !== undefined) {
      span.attribute(Attribute.toolspanFailureMode, facts.failure.mode)
      span.attribute(Attribute.toolspanFailureOrigin, facts.failure.origin)
    }
    if (facts.ambiguous) span.attribute(Attribute.toolspanLinkAmbiguous, true)
    if (place.content.results && facts.result !== undefined) {
      const bytes = StageSpan.content(place, span, Attribute.genAiToolCallResult, facts.result, "result", call)
      span.attribute(Attribute.toolspanResultBytes, bytes)
    }
  }
  const failed = facts.outcome === "failure" || facts.outcome === "invalid_parameters" ||
    facts.outcome === "invalid_result" || facts.outcome === "unknown_tool"
  span.end(time, failed ? Ending.failed(facts.outcome) : Exit.void)
  return span
}
