import { readParts } from "./EffectPrompt.ts"
import type { Message, Part, Role } from "./History.ts"
import { noParts, other } from "./History.ts"
import * as Loose from "./Loose.ts"

/** The parts of an id that pi keeps as one text: the call's id, and the provider's own item where there is one. */
export interface PiId {
  readonly id: string | undefined
  readonly itemId: string | undefined
}

/**
 * Reads `call|item`, which pi makes of an OpenAI Responses call: only the first goes out with a result, so only the first
 * pairs. Any other id is one whole.
 */
export const piId = (value: unknown): PiId => {
  const id = Loose.id(value)
  const bar = id === undefined ? -1 : id.indexOf("|")
  return id === undefined || bar <= 0
    ? { id, itemId: undefined }
    : { id: id.slice(0, bar), itemId: id.slice(bar + 1) || undefined }
}

const readBlock = (value: unknown): Part => {
  const block = Loose.record(value)
  if (block?.["type"] !== "toolCall") return other
  return {
    type: "call",
    id: piId(block["id"]).id,
    name: Loose.text(block["name"]),
    params: block["arguments"],
    providerExecuted: false,
    source: block
  }
}

const readResult = (message: Readonly<Record<string, unknown>>): Part => ({
  type: "result",
  id: piId(message["toolCallId"]).id,
  name: Loose.text(message["toolName"]),
  isFailure: message["isError"] === true,
  result: message["content"],
  providerExecuted: false,
  source: message
})

// What pi never sends again: the answer broke off, and no tool of it ran.
const isBrokenOff = (message: Readonly<Record<string, unknown>>): boolean =>
  message["stopReason"] === "error" || message["stopReason"] === "aborted"

const roles: Readonly<Record<string, Role>> = { system: "system", assistant: "assistant", toolResult: "tool" }

const readMessage = (value: unknown): Message => {
  const message = Loose.record(value)
  // Messages that an app adds to pi's own (summaries, notes) go out as words of the user.
  const role = roles[Loose.text(message?.["role"])] ?? "user"
  if (message === undefined) return { role, parts: noParts }
  if (role === "tool") return { role, parts: [readResult(message)] }
  const parts = role !== "assistant" || isBrokenOff(message) ? noParts : readParts(message["content"], readBlock)
  return { role, parts }
}

/**
 * Reads the messages of a pi agent (`agent.state.messages`), or an object that has such a list as `messages`.
 *
 * A composite id (`call|item`) pairs by its first part, as on the wire. The calls of an answer that broke off (`error`,
 * `aborted`) are none: pi sends that message to nobody. Never throws: an entry of a strange shape is a message without
 * parts.
 *
 * **Example** (A result that lost its call)
 *
 * ```ts
 * import { fromPi, pair } from "toolspan/pairing"
 *
 * const messages = [
 *   { role: "user", content: "go" },
 *   { role: "toolResult", toolCallId: "call_1|fc_1", toolName: "lookup", content: [], isError: false }
 * ]
 *
 * pair(fromPi(messages)).violations.map((one) => [one.kind, one.id]) // => [["orphan_result", "call_1"]]
 * ```
 */
export const fromPi = (messages: unknown): ReadonlyArray<Message> => {
  const source = Array.isArray(messages) ? messages : Loose.list(Loose.record(messages)?.["messages"])
  return source.map(readMessage)
}
