import type { Message, Part, Role } from "./History.ts"
import { noParts, other } from "./History.ts"
import * as Loose from "./Loose.ts"

const readCall = (value: unknown): Part => {
  const call = Loose.record(value)
  if (call === undefined) return other
  const custom = Loose.record(call["custom"])
  const asked = custom ?? Loose.record(call["function"])
  return {
    type: "call",
    id: Loose.id(call["id"]),
    name: Loose.text(asked?.["name"]),
    params: custom === undefined ? asked?.["arguments"] : custom["input"],
    providerExecuted: false,
    source: call
  }
}

const readResult = (message: Readonly<Record<string, unknown>>): Part => ({
  type: "result",
  id: Loose.id(message["tool_call_id"]),
  name: Loose.id(message["name"]),
  isFailure: false,
  result: message["content"],
  providerExecuted: false,
  source: message
})

const roleOf = (role: unknown): Role =>
  role === "assistant" || role === "tool" || role === "system" ? role : role === "developer" ? "system" : "user"

/**
 * Reads a chat completions request body, or its list of messages.
 *
 * The index of a call is that in `tool_calls`; a tool message is one result. This wire has no mark for a failure.
 * Never throws: an entry of a strange shape is a message without parts.
 *
 * **Example** (A result among the messages of a body)
 *
 * ```ts
 * import { fromChatCompletions } from "toolspan/pairing"
 *
 * const messages = fromChatCompletions({
 *   messages: [{ role: "tool", tool_call_id: "call_1", content: "v" }]
 * })
 *
 * messages[0]?.parts.length // => 1
 * ```
 */
export const fromChatCompletions = (body: unknown): ReadonlyArray<Message> => {
  const source = Array.isArray(body) ? body : Loose.list(Loose.record(body)?.["messages"])
  const messages: Array<Message> = []
  for (let index = 0; index < source.length; index++) {
    const message = Loose.record(source[index])
    const role = roleOf(message?.["role"])
    let parts = noParts
    if (message !== undefined && role === "tool") {
      parts = [readResult(message)]
    } else if (message !== undefined && role === "assistant") {
      const calls = Loose.list(message["tool_calls"])
      if (calls.length > 0) parts = calls.map(readCall)
    }
    messages.push({ role, parts })
  }
  return messages
}
