import * as Schema from "effect/Schema"

/**
 * A group refuses what would break it; `reason` says what, `id` where, and `message` how to mend it.
 *
 * **Example** (A result that answers no call)
 *
 * ```ts
 * import { Result } from "effect"
 * import { ToolCallGroup, ToolCallGroupError } from "toolspan/pairing"
 *
 * const group = Result.getOrThrow(ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }]))
 * const refused = ToolCallGroup.answer(group, { id: "c2", isFailure: false, result: "v" })
 *
 * Result.match(refused, {
 *   onSuccess: () => "answered",
 *   onFailure: (error) => error instanceof ToolCallGroupError ? `${error.reason} ${error.id}` : "another error"
 * }) // => "orphan_result c2"
 * ```
 */
export class ToolCallGroupError extends Schema.TaggedError<ToolCallGroupError>()("ToolCallGroupError", {
  reason: Schema.Literals([
    "no_calls",
    "empty_id",
    "empty_name",
    "duplicate_id",
    "orphan_result",
    "duplicate_result",
    "renamed_tool",
    "unanswered_call"
  ]),
  id: Schema.String
}) {
  override get message(): string {
    return messages[this.reason](this.id)
  }
}

const messages: Readonly<Record<ToolCallGroupError["reason"], (id: string) => string>> = {
  no_calls: () => "A group needs at least one call.",
  empty_id: () => "Each call needs an id that is not empty.",
  empty_name: (id) => `Call ${id} needs the name of its tool.`,
  duplicate_id: (id) => `Give one of the calls with id ${id} another id.`,
  orphan_result: (id) => `No call of the group has the id ${id} of this result.`,
  duplicate_result: (id) => `Call ${id} has a result already; keep one.`,
  renamed_tool: (id) => `The result of call ${id} names another tool than the call does.`,
  unanswered_call: (id) => `Call ${id} has no result yet; answer it first.`
}
