/** Pairing faults that a provider request or a turn reported, and what each means. */
import * as Schema from "effect/Schema"
import * as Attribute from "../semconv/attribute.ts"
import * as Event from "../semconv/event.ts"
import type { ViolationKind } from "../semconv/violation.ts"
import { present } from "./Fact.ts"
import { Instant } from "./Instant.ts"
import { SpanRef } from "./SpanRef.ts"
import * as Reading from "./SpanReading.ts"

/** One reported fault: where it was reported, and a sentence that says what is wrong. */
export const Violation = Schema.Struct({
  kind: Schema.String,
  scope: Schema.optionalKey(Schema.String),
  at: Instant,
  /** The provider request or turn that reported it. */
  span: SpanRef,
  tool: Schema.optionalKey(Schema.String),
  otherName: Schema.optionalKey(Schema.String),
  approvalId: Schema.optionalKey(Schema.String),
  truncated: Schema.optionalKey(Schema.Boolean),
  explanation: Schema.String
})
/** One reported fault. */
export interface Violation extends Schema.Schema.Type<typeof Violation> {}

/** A fault together with the call it names. */
export interface NamedViolation {
  readonly row: Reading.SpanRow
  readonly id: string | undefined
  readonly key: string | undefined
  readonly violation: Violation
}

/** The fault that an event of a span reports. */
export const violationOf = (row: Reading.SpanRow, event: Reading.SpanRow["events"][number]): NamedViolation => {
  const { attributes, time } = event
  const kind = Reading.text(attributes, Attribute.toolspanViolationKind) ?? "unknown"
  const id = Reading.text(attributes, Attribute.genAiToolCallId)
  return {
    row,
    id,
    key: Reading.text(attributes, Attribute.toolspanCallKey) ?? id,
    violation: {
      kind,
      ...present("scope", Reading.text(attributes, Attribute.toolspanViolationScope)),
      at: time,
      span: { traceId: row.traceId, spanId: row.spanId, name: row.name },
      ...present("tool", Reading.text(attributes, Attribute.genAiToolName)),
      ...present("otherName", Reading.text(attributes, Attribute.toolspanViolationOtherName)),
      ...present("approvalId", Reading.text(attributes, Attribute.toolspanApprovalId)),
      ...(Reading.flag(attributes, Attribute.toolspanViolationTruncated) ? { truncated: true } : {}),
      explanation: explain(kind)
    }
  }
}

/** The faults that a span reports. */
export const violationsOf = (row: Reading.SpanRow): ReadonlyArray<NamedViolation> =>
  row.events.filter((event) => event.name === Event.violation).map((event) => violationOf(row, event))

/** One sentence that says what a fault of this kind means. */
export const explain = (kind: string): string =>
  Object.hasOwn(explanations, kind)
    ? explanations[kind as ViolationKind]
    : "This version of toolspan does not know this kind of fault."

const explanations: Readonly<Record<ViolationKind, string>> = {
  missing_id: "The provider gave this call no id, so its result can only be matched by position.",
  empty_id: "The provider gave this call an empty id, so its result can only be matched by position.",
  duplicate_id: "Two calls carry the same id, so a result or an approval for it can reach the wrong one.",
  unanswered_call: "The history has no result for this call; most providers refuse to be sent such a history.",
  orphan_result:
    "The history has a result for a call that it does not hold; most providers refuse to be sent such a history.",
  duplicate_result:
    "The history holds two results for this one call; the provider may refuse it or read the wrong one.",
  renamed_tool: "The call and its result carry different tool names.",
  wire_name_mismatch: "The tool went over the wire under the wrong one of its two names.",
  unknown_tool: "The model asked for a tool that is not in the toolkit, so no handler could run.",
  dropped_argument: "An argument that the model gave never reached the handler.",
  argument_parse_error: "The arguments were no JSON that could be parsed.",
  unmatched_approval: "An approval was answered that nobody had asked for, so the answer had no effect.",
  duplicate_approval: "The approval was answered twice alike; the handler may have run twice.",
  contradictory_approval: "The approval was both granted and denied, and both answers took effect.",
  approval_mismatch: "What ran is not what was approved: another call with the same id, or other arguments.",
  approved_not_executed: "The call was approved, but it never ran, or an older result was taken for its answer.",
  abandoned_approval: "The conversation went on without an answer to the approval request.",
  duplicate_execution: "The handler ran again for a call that it had already run for."
}
