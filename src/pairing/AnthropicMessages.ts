import { readParts } from "./EffectPrompt.ts"
import type { Message, Part } from "./History.ts"
import { noParts, other } from "./History.ts"
import * as Loose from "./Loose.ts"

const readCall = (block: Readonly<Record<string, unknown>>, providerExecuted: boolean): Part => {
  const caller = Loose.id(Loose.record(block["caller"])?.["tool_id"])
  return {
    type: "call",
    id: Loose.id(block["id"]),
    name: Loose.text(block["name"]),
    params: block["input"],
    providerExecuted,
    ...(caller === undefined ? undefined : { caller }),
    source: block
  }
}

const readResult = (block: Readonly<Record<string, unknown>>, providerExecuted: boolean): Part => ({
  type: "result",
  id: Loose.id(block["tool_use_id"]),
  name: undefined,
  isFailure: block["is_error"] === true || Loose.text(Loose.record(block["content"])?.["type"]).endsWith("_error"),
  result: block["content"],
  providerExecuted,
  source: block
})

const readBlock = (value: unknown): Part => {
  const block = Loose.record(value)
  const type = block?.["type"]
  if (block === undefined || typeof type !== "string") return other
  switch (type) {
    case "text":
      return other
    case "tool_use":
      return readCall(block, false)
    case "server_tool_use":
    case "mcp_tool_use":
      return readCall(block, true)
    case "tool_result":
      return readResult(block, false)
    default:
      return type.endsWith("_tool_result") ? readResult(block, true) : other
  }
}

const isResult = (part: Part): boolean => part.type === "result"

/**
 * Reads an Anthropic Messages request body, or its list of messages.
 *
 * A user message that holds results only has the role `tool`. Server tools and their `*_tool_result` blocks are
 * provider-executed. Never throws: an entry of a strange shape is a message without parts.
 *
 * **Example** (A result among the messages of a body)
 *
 * ```ts
 * import { fromAnthropic } from "toolspan/pairing"
 *
 * const messages = fromAnthropic({
 *   messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "v" }] }]
 * })
 *
 * messages[0]?.role // => "tool"
 * ```
 */
export const fromAnthropic = (body: unknown): ReadonlyArray<Message> => {
  const source = Array.isArray(body) ? body : Loose.list(Loose.record(body)?.["messages"])
  const messages: Array<Message> = []
  for (let index = 0; index < source.length; index++) {
    const message = Loose.record(source[index])
    const parts = message === undefined ? noParts : readParts(message["content"], readBlock)
    const role = message?.["role"] === "assistant"
      ? "assistant"
      : parts !== noParts && parts.every(isResult)
      ? "tool"
      : "user"
    messages.push({ role, parts })
  }
  return messages
}
