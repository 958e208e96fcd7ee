/** What to do about a fault. */
import type { ViolationKind } from "../../semconv/violation.ts"

/** One or two sentences; `undefined` for a kind that this page does not know. */
export const remedy = (kind: string): string | undefined =>
  Object.hasOwn(remedies, kind) ? remedies[kind as ViolationKind] : undefined

const remedies: Readonly<Record<ViolationKind, string>> = {
  missing_id: "Give each call an id where the response is decoded, and keep it with the result.",
  empty_id: "Treat an empty id as none: make one where the response is decoded, and keep it with the result.",
  duplicate_id: "Number repeated ids before they enter the history, for the call and its result alike.",
  unanswered_call:
    "Answer every call before the next message goes out, with an error or a note when it did not run. repair in toolspan/pairing does it.",
  orphan_result:
    "When a history is cut short, cut call and result together. repair in toolspan/pairing removes what is left over.",
  duplicate_result: "Look for the retry or the second writer that adds the result again, and keep the first.",
  renamed_tool:
    "Write the result under the name that the call has. A tool that was renamed keeps its old name in old histories.",
  wire_name_mismatch: "Translate the tool's name in both directions: one name in the toolkit, the other on the wire.",
  unknown_tool:
    "Check that the toolkit of this turn has the tool, and that its description names no other. The model reads the failure and can try again.",
  dropped_argument: "Declare the argument in the tool's parameters, or find where the provider's package loses it.",
  argument_parse_error:
    "If the arguments were cut off, allow more output tokens. Never run the handler with {} in their place.",
  unmatched_approval:
    "Answer with the approval id of the request. An old page that is still open may send one from before.",
  duplicate_approval: "Disable the button after the first answer, and keep one answer per approval id.",
  contradictory_approval: "Keep the first answer per approval id and refuse the second.",
  approval_mismatch: "Ask again whenever the arguments change, and give every call an id of its own.",
  approved_not_executed: "Remove the older result of this id from the history, so that the approved call runs.",
  abandoned_approval: "Write a denial into the history before the next message when nobody answers.",
  duplicate_execution: "Make the handler safe to run twice, or wrap it in once so that a call runs at most once."
}
