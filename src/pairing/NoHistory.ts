import * as Schema from "effect/Schema"

/**
 * What `check` and `repair` throw when they are given something that is a history of no known form (`reason`
 * `"unknown"`), or one of another form than the `format` they were told (`"other"`): an empty list of faults would say that
 * everything in it pairs up. `repair` refuses session files (`"session"`), too.
 *
 * **Example** (A body that was not parsed)
 *
 * ```ts
 * import { check, NoHistory } from "toolspan/pairing"
 *
 * const kinds = (history: unknown) => {
 *   try {
 *     return check(history).map((one) => one.kind)
 *   } catch (error) {
 *     return error instanceof NoHistory ? "no history" : "another error"
 *   }
 * }
 *
 * kinds("{\"messages\":[]}") // => "no history"
 * kinds({ messages: [] }) // => []
 * ```
 */
export class NoHistory extends Schema.TaggedError<NoHistory>()("NoHistory", {
  reason: Schema.Literals(["unknown", "other", "session"])
}) {
  override get message(): string {
    return messages[this.reason]
  }
}

const messages: Readonly<Record<NoHistory["reason"], string>> = {
  unknown: "This is a history of no known form. A list of messages, an Effect prompt, the parsed body of an Anthropic "
    + "Messages, chat completions or Responses request, or the messages or session file of a pi agent was expected.",
  other:
    "This is a history of another form than the given one, which sees no call or result in it. Leave the format out, "
    + "or give the one that it has.",
  session: "This is a session file of pi, which is only added to: repair the messages of the agent instead."
}
