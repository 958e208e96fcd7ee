import type { ViolationKind, ViolationScope } from "../semconv/violation.ts"

/** One pairing fault: what it is, where it stands, and how to mend it. */
export interface Violation {
  readonly kind: ViolationKind
  readonly scope: ViolationScope
  /** The id as in the history; absent when there is none. */
  readonly id?: string
  /** The tool's name, when it is known. */
  readonly name?: string
  /** The key of the call at fault; what the id would be as a key for a result without a call. */
  readonly key?: string
  readonly approvalId?: string
  /** The second name of a renamed tool, the right one of a wire name. */
  readonly otherName?: string
  /** True when the arguments end too soon. */
  readonly truncated?: boolean
  /** Index of the message (of the entry, for Responses input); of the call in a response. */
  readonly message: number
  /** Index of the part in its message. */
  readonly part: number
  /** One sentence that says how to mend it. */
  readonly advice: string
}

/** How to mend each kind of fault, in one sentence. */
export const advice: Readonly<Record<ViolationKind, string>> = {
  missing_id: "Give the call an id of its own before its result is sent, and use the same id on the result.",
  empty_id: "Replace the empty id by one of its own, on the call and on its result alike.",
  duplicate_id: "Give each call an id that no other call of the conversation has, and rename its result with it.",
  unanswered_call: "Add a result for the call right after its message, or remove the call.",
  orphan_result: "Remove the result, or restore the call that it answers with exactly this id.",
  duplicate_result: "Keep one result for the call and remove the others.",
  renamed_tool: "Use the name of the call on its result and on every fragment of it.",
  wire_name_mismatch: "Use the tool's name on the wire towards the provider and its toolkit name inside the program.",
  unknown_tool: "Add the tool to the toolkit of this turn, or stop offering it to the model.",
  dropped_argument: "Declare the argument in the tool's parameters, or tell the model that it does not exist.",
  argument_parse_error: "Send the arguments as one complete JSON object, raising the output limit if they were cut.",
  unmatched_approval: "Answer an approval id that the history asks for, or put the request back into the history.",
  duplicate_approval: "Keep one answer to the approval, because each approving answer runs the tool again.",
  contradictory_approval: "Keep the answer that holds and remove the other: the tool runs although it was denied.",
  approval_mismatch: "Ask for approval again: what ran is not the call that was approved.",
  approved_not_executed: "Remove the older result with the same id, or give the approved call an id of its own.",
  abandoned_approval: "Answer the approval before the next message, or add a denied result for its call.",
  duplicate_execution: "Run each call once and reuse its recorded result."
}

/** What a fault is about; an empty id is no id. */
export interface Subject {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly key?: string | undefined
  readonly approvalId?: string | undefined
  readonly otherName?: string | undefined
  readonly truncated?: boolean | undefined
}

/** Where a fault stands. */
export interface Position {
  readonly message: number
  readonly part: number
}

/** Makes the violation of this kind, without the fields that are not known. */
export const make = (kind: ViolationKind, scope: ViolationScope, about: Subject, at: Position): Violation => ({
  kind,
  scope,
  ...(about.id === undefined || about.id === "" ? undefined : { id: about.id }),
  ...(about.name === undefined || about.name === "" ? undefined : { name: about.name }),
  ...(about.key === undefined ? undefined : { key: about.key }),
  ...(about.approvalId === undefined ? undefined : { approvalId: about.approvalId }),
  ...(about.otherName === undefined ? undefined : { otherName: about.otherName }),
  ...(about.truncated === true ? { truncated: true } : undefined),
  message: at.message,
  part: at.part,
  advice: advice[kind]
})

/** The violations by their position; those of one part stay in the order they were found. */
export const inOrder = (violations: Array<Violation>): ReadonlyArray<Violation> =>
  violations.length < 2
    ? violations
    : violations.sort((one, two) => one.message - two.message || one.part - two.part)
