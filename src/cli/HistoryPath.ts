/** Where a violation stands in the JSON that was checked. */
import type { HistoryFormat, Violation } from "../pairing/index.ts"
import { isSession, told } from "../pairing/PiSession.ts"

const roots: Readonly<Record<HistoryFormat, string>> = {
  effect: "content",
  anthropic: "messages",
  "chat-completions": "messages",
  responses: "input",
  pi: "messages"
}

/** The list of entries that a body holds, and how it is reached. */
const entriesOf = (
  history: unknown,
  format: HistoryFormat
): { readonly list: ReadonlyArray<unknown>; root: string } => {
  if (Array.isArray(history)) return { list: history, root: "" }
  const body = history as Readonly<Record<string, unknown>>
  // A list of Effect messages may stand under either name.
  const root = format === "effect" && Array.isArray(body["messages"]) ? "messages" : roots[format]
  const list = body[root]
  return { list: Array.isArray(list) ? list : [], root }
}

const inPiMessage = (place: string, message: unknown, part: number): string =>
  (message as { readonly role?: unknown } | undefined)?.role === "toolResult" ? place : `${place}.content[${part}]`

/**
 * Gives the path of each violation, such as `messages[3].content[0]`, `messages[1].tool_calls[0]` or `input[7]`; in a pi
 * session `line 4: message.content[0]` of its file, or `[3].message.content[0]` of a list of its entries.
 */
export const pathsIn = (
  history: unknown,
  format: HistoryFormat,
  leaf?: string
): (violation: Violation) => string => {
  if (format !== "pi" || (typeof history !== "string" && !isSession(history))) {
    return (violation) => pathOf(history, format, violation)
  }
  const entries = told(history, leaf)
  return ({ message, part }) => {
    const entry = entries[message]
    const line = entry?.line ?? 0
    return inPiMessage(
      typeof history === "string" ? `line ${line + 1}: message` : `[${line}].message`,
      entry?.message,
      part
    )
  }
}

const pathOf = (history: unknown, format: HistoryFormat, { message, part }: Violation): string => {
  const { list, root } = entriesOf(history, format)
  const entry = `${root}[${message}]`
  switch (format) {
    case "responses":
      return entry
    case "chat-completions":
      return (list[message] as { readonly role?: unknown } | undefined)?.role === "assistant"
        ? `${entry}.tool_calls[${part}]`
        : entry
    case "pi":
      return inPiMessage(entry, list[message], part)
    default:
      return `${entry}.content[${part}]`
  }
}
