import * as Schema from "effect/Schema"

/**
 * What `check` and `repair` throw when they are given something that is a history of no known form: an empty list of
 * faults would say that everything in it pairs up.
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
export class NoHistory extends Schema.TaggedError<NoHistory>()("NoHistory", {}) {
  override get message(): string {
    return "This is a history of no known form. A list of messages, an Effect prompt, the parsed body of an Anthropic "
      + "Messages, chat completions or Responses request, or the messages or session file of a pi agent was expected."
  }
}
