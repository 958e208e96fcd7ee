import type { Message, Part, Role } from "./History.ts"
import { noParts, other } from "./History.ts"
import * as Loose from "./Loose.ts"

const callerOf = (options: unknown): string | undefined => {
  const all = Loose.record(options)
  if (all === undefined) return undefined
  const caller = Loose.record(Loose.record(all["anthropic"])?.["caller"])
  return caller === undefined ? undefined : Loose.id(caller["toolId"] ?? caller["tool_id"])
}

const readPart = (value: unknown): Part => {
  const part = Loose.record(value)
  if (part === undefined) return other
  switch (part["type"]) {
    case "tool-call": {
      const caller = callerOf(part["options"])
      const id = Loose.id(part["id"])
      const name = Loose.text(part["name"])
      const params = part["params"]
      const providerExecuted = part["providerExecuted"] === true
      return caller === undefined
        ? { type: "call", id, name, params, providerExecuted, source: part }
        : { type: "call", id, name, params, providerExecuted, caller, source: part }
    }
    case "tool-result":
      return {
        type: "result",
        id: Loose.id(part["id"]),
        name: Loose.text(part["name"]),
        isFailure: part["isFailure"] === true,
        result: part["result"],
        providerExecuted: part["providerExecuted"] === true,
        source: part
      }
    case "tool-approval-request":
      return {
        type: "approval-request",
        approvalId: Loose.id(part["approvalId"]) ?? "",
        callId: Loose.id(part["toolCallId"]) ?? "",
        source: part
      }
    case "tool-approval-response": {
      const reason = part["reason"]
      return {
        type: "approval-response",
        approvalId: Loose.id(part["approvalId"]) ?? "",
        approved: part["approved"] === true,
        reason: typeof reason === "string" ? reason : undefined,
        source: part
      }
    }
    default:
      return other
  }
}

/** The neutral parts of one message's content, with the same indexes; the shared empty list when none matters. */
export const readParts = (content: unknown, read: (value: unknown) => Part): ReadonlyArray<Part> => {
  if (!Array.isArray(content)) return noParts
  let parts: Array<Part> | undefined
  for (let index = 0; index < content.length; index++) {
    const part = read(content[index])
    if (parts === undefined) {
      if (part === other) continue
      parts = []
      for (let before = 0; before < index; before++) parts.push(other)
    }
    parts.push(part)
  }
  return parts ?? noParts
}

const roles: ReadonlySet<unknown> = new Set<Role>(["system", "user", "assistant", "tool"])

const messagesOf = (prompt: unknown): ReadonlyArray<unknown> =>
  Array.isArray(prompt) ? prompt : Loose.list(Loose.record(prompt)?.["content"])

/**
 * Reads an Effect `Prompt`, decoded or encoded, a list of its messages, or a text.
 *
 * Never throws: an entry of a strange shape is a message without parts.
 *
 * **Example** (The messages of an encoded prompt)
 *
 * ```ts
 * import { fromPrompt } from "toolspan/pairing"
 *
 * const messages = fromPrompt([
 *   { role: "user", content: "go" },
 *   { role: "assistant", content: [{ type: "tool-call", id: "c1", name: "lookup", params: { key: "alpha" } }] }
 * ])
 *
 * messages.map((message) => message.parts.length) // => [0, 1]
 * ```
 */
export const fromPrompt = (prompt: unknown): ReadonlyArray<Message> => {
  const source = messagesOf(prompt)
  const messages: Array<Message> = []
  for (let index = 0; index < source.length; index++) {
    const message = Loose.record(source[index])
    const role = message?.["role"]
    messages.push({
      role: roles.has(role) ? role as Role : "user",
      parts: message === undefined ? noParts : readParts(message["content"], readPart)
    })
  }
  return messages
}
