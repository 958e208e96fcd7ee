import type { Link, SpanWriter } from "../lifecycle/SpanWriter.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as SpanName from "../semconv/span.ts"
import * as StageSpan from "./stageSpan.ts"

/** Writes `tool_approval`, an instant: asked, answered or abandoned. */
export const approval: SpanWriter["approval"] = (place, call, facts, time) => {
  const links: ReadonlyArray<Link> = facts.link === undefined ? [] : [facts.link]
  const span = StageSpan.open(place, StageSpan.name(SpanName.toolApproval, call), "internal", time, links)
  if (span.sampled) {
    StageSpan.describe(place, span, "approval", call, links)
    StageSpan.approval(span, facts.state, facts.approvalId)
    span.attribute(Attribute.toolspanApprovalEvent, facts.event)
    if (facts.waitSeconds !== undefined) span.attribute(Attribute.toolspanApprovalWait, facts.waitSeconds)
    if (facts.ambiguous) span.attribute(Attribute.toolspanLinkAmbiguous, true)
    // The reason is a value of the answer to the call: with results captured it may be written, else not.
    if (place.content.results && facts.reason !== undefined) {
      StageSpan.content(place, span, Attribute.toolspanApprovalReason, facts.reason, "reason", call)
    }
  }
  return StageSpan.instant(span, time)
}
