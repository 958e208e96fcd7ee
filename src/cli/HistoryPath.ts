/** Where a violation stands in the JSON that was checked. */
import type { HistoryFormat, Violation } from "../pairing/index.ts"

const roots: Readonly<Record<HistoryFormat, string>> = {
  effect: "content",
  anthropic: "messages",
  "chat-completions": "messages",
  responses: "input"
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

/** The path, such as `messages[3].content[0]`, `messages[1].tool_calls[0]` or `input[7]`. */
export const pathOf = (history: unknown, format: HistoryFormat, { message, part }: Violation): string => {
  const { list, root } = entriesOf(history, format)
  const entry = `${root}[${message}]`
  switch (format) {
    case "responses":
      return entry
    case "chat-completions":
      return (list[message] as { readonly role?: unknown } | undefined)?.role === "assistant"
        ? `${entry}.tool_calls[${part}]`
        : entry
    default:
      return `${entry}.content[${part}]`
  }
}
