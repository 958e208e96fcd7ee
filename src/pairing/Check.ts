import { approvalViolations } from "./Approval.ts"
import { fromPrompt } from "./EffectPrompt.ts"
import type { Message } from "./History.ts"
import * as Loose from "./Loose.ts"
import { NoHistory } from "./NoHistory.ts"
import { pair } from "./Pairing.ts"
import { fromPi } from "./PiMessages.ts"
import * as PiSession from "./PiSession.ts"
import type { ToolFacts } from "./ToolNames.ts"
import * as ToolNames from "./ToolNames.ts"
import type { Violation } from "./Violation.ts"
import { inOrder } from "./Violation.ts"
import type { WireFormat } from "./Wire.ts"
import { pairWire, readers } from "./Wire.ts"

/** A form that a history can have. */
export type HistoryFormat = "effect" | WireFormat | "pi"

/** What a check may know about a history. */
export interface CheckOptions {
  /** The form of the history; found out when absent. */
  readonly format?: HistoryFormat
  /** The tools that the history speaks of, for those whose wire name is not their toolkit name. */
  readonly tools?: ReadonlyArray<ToolFacts>
  /** Of a pi session file: the id of the last entry of the branch to check. The last of the file when absent. */
  readonly leaf?: string
}

const formatOfBlock = (type: string): HistoryFormat | undefined => {
  switch (type) {
    case "tool-call":
    case "tool-result":
    case "tool-approval-request":
    case "tool-approval-response":
      return "effect"
    case "toolCall":
      return "pi"
    case "tool_use":
    case "tool_result":
    case "server_tool_use":
    case "mcp_tool_use":
      return "anthropic"
    default:
      return type.endsWith("_tool_result") ? "anthropic" : undefined
  }
}

const formatOfEntry = (value: unknown): HistoryFormat | undefined => {
  const entry = Loose.record(value)
  if (entry === undefined) return undefined
  if (Array.isArray(entry["tool_calls"]) || entry["tool_call_id"] !== undefined) return "chat-completions"
  if (entry["role"] === "toolResult") return "pi"
  const type = Loose.text(entry["type"])
  if (type.endsWith("_call") || type.endsWith("_call_output") || type.startsWith("mcp_approval_")) return "responses"
  const content = entry["content"]
  if (Array.isArray(content)) {
    for (const block of content) {
      const format = formatOfBlock(Loose.text(Loose.record(block)?.["type"]))
      if (format !== undefined) return format
    }
  }
  return entry["role"] === "tool" && typeof content === "string" ? "chat-completions" : undefined
}

/**
 * The form of a history, by the first entry that only one form has.
 *
 * `undefined` when it is no history at all, such as a list without one message; a history that no tool appears in counts
 * as an Effect prompt.
 *
 * **Example** (A chat completions body)
 *
 * ```ts
 * import { formatOf } from "toolspan/pairing"
 *
 * formatOf({ messages: [{ role: "tool", tool_call_id: "call_1", content: "v" }] }) // => "chat-completions"
 * formatOf(42) // => undefined
 * ```
 */
export const formatOf = (history: unknown): HistoryFormat | undefined => {
  if (PiSession.isSession(history)) return "pi"
  if (typeof history === "string") return "effect"
  const body = Loose.record(history)
  if (body === undefined) return undefined
  if (!Array.isArray(history)) {
    if (Array.isArray(body["input"]) || typeof body["input"] === "string") return "responses"
    if (!Array.isArray(body["messages"]) && !Array.isArray(body["content"])) return undefined
  }
  const entries = Array.isArray(history) ? history : Loose.list(body["messages"] ?? body["content"])
  for (const entry of entries) {
    const format = formatOfEntry(entry)
    if (format !== undefined) return format
  }
  return entries.length === 0 || entries.some(isEntry) ? "effect" : undefined
}

const isEntry = (value: unknown): boolean => {
  const entry = Loose.record(value)
  return typeof entry?.["role"] === "string" || typeof entry?.["type"] === "string"
}

/** The form to read a history in: the one that was given, else the one it has. Throws when it has none, or another. */
export const formatFor = (history: unknown, given: HistoryFormat | undefined): HistoryFormat => {
  const found = formatOf(history)
  if (given !== undefined) {
    if (isOther(history, given, found)) throw new NoHistory({ reason: "other" })
    return given
  }
  // A bare text is a prompt in which nothing can be wrong: nobody checks one, but for a body that was not parsed.
  if (found === undefined || (found === "effect" && typeof history === "string")) {
    throw new NoHistory({ reason: "unknown" })
  }
  return found
}

/** Whether the form that it has sees calls or results in it, and the given one sees none. */
const isOther = (history: unknown, given: HistoryFormat, found: HistoryFormat | undefined): boolean => {
  // Any text is a prompt, also one that somebody pasted a session into.
  if (found === undefined || found === given || (given === "effect" && typeof history === "string")) return false
  return !hasParts(messagesIn(history, given)) && hasParts(messagesIn(history, found))
}

const hasParts = (messages: ReadonlyArray<Message>): boolean =>
  messages.some(({ parts }) => parts.some(({ type }) => type !== "other"))

/** The messages of a history, read in this form. */
const messagesIn = (history: unknown, format: HistoryFormat, leaf?: string): ReadonlyArray<Message> => {
  if (format === "effect") return fromPrompt(messagesOf(history))
  return format === "pi" ? readPi(history, leaf) : readers[format](history)
}

const readPi = (history: unknown, leaf: string | undefined): ReadonlyArray<Message> =>
  typeof history === "string" || PiSession.isSession(history)
    ? PiSession.fromPiSession(history, leaf)
    : fromPi(history)

const messagesOf = (history: unknown): unknown =>
  Array.isArray(history) ? history : Loose.record(history)?.["messages"] ?? history

/**
 * Checks a history by itself: an Effect prompt, the body or messages of an Anthropic, chat completions or Responses
 * request, or the messages or session file of a pi agent. Returns every pairing fault in the order of the history, each
 * with its position and how to mend it.
 *
 * Reads any JSON, and takes time and memory linear in the history. Throws only `NoHistory`: without a `format` when it is
 * given no history (`{ foo: 1 }`, a text that was not parsed), and with one when that sees no call or result in a history of
 * another form that has some.
 *
 * **Example** (A call that went out without its result)
 *
 * ```ts
 * import { check } from "toolspan/pairing"
 *
 * const violations = check({
 *   messages: [
 *     { role: "user", content: "go" },
 *     { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "lookup", input: { key: "alpha" } }] },
 *     { role: "user", content: "never mind" }
 *   ]
 * })
 *
 * violations.map((one) => [one.kind, one.id, one.message, one.part]) // => [["unanswered_call", "toolu_1", 1, 0]]
 * ```
 */
export const check = (history: unknown, options: CheckOptions = {}): ReadonlyArray<Violation> => {
  const format = formatFor(history, options.format)
  const names = options.tools === undefined ? undefined : ToolNames.of(options.tools)
  const pairOptions = names === undefined ? {} : { sameTool: ToolNames.sameTool(names) }
  if (format === "pi") return pair(messagesIn(history, format, options.leaf), pairOptions).violations
  if (format !== "effect") {
    return pairWire(format, history, options.tools === undefined ? {} : { tools: options.tools }).violations
  }
  const pairing = pair(messagesIn(history, format), pairOptions)
  const approvals = approvalViolations(pairing)
  return approvals.length === 0 ? pairing.violations : inOrder([...pairing.violations, ...approvals])
}
