import type { Message } from "./History.ts"
import * as Loose from "./Loose.ts"
import { fromPi } from "./PiMessages.ts"

type Entry = Readonly<Record<string, unknown>>

/** The entries of a session from its root to the leaf; a loop ends where it began. */
const branchTo = (entries: ReadonlyArray<Entry>, leaf: string | undefined): ReadonlyArray<Entry> => {
  const byId = new Map<string, Entry>()
  for (const entry of entries) {
    const id = Loose.id(entry["id"])
    if (id !== undefined) byId.set(id, entry)
  }
  const last = entries[entries.length - 1]
  // The first version of the format has no tree: its entries stand in their order.
  if (leaf === undefined && last !== undefined && !("parentId" in last)) return entries
  const branch: Array<Entry> = []
  const seen = new Set<Entry>()
  let entry = leaf === undefined ? last : byId.get(leaf)
  while (entry !== undefined && !seen.has(entry)) {
    seen.add(entry)
    branch.push(entry)
    entry = byId.get(Loose.id(entry["parentId"]) ?? "")
  }
  return branch.reverse()
}

/** What is left of a branch after its last compaction: what it kept, and everything since. */
const compacted = (branch: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const at = branch.findLastIndex((entry) => entry["type"] === "compaction")
  if (at === -1) return branch
  const compaction = branch[at]!
  const kept = branch.findIndex((entry, index) => index < at && entry["id"] === compaction["firstKeptEntryId"])
  return [compaction, ...(kept === -1 ? [] : branch.slice(kept, at)), ...branch.slice(at + 1)]
}

const textOf = (content: unknown): unknown => typeof content === "string" ? [{ type: "text", text: content }] : content

/** The message as an edit leaves it; `undefined` when it takes the message out. */
const edited = (message: Entry, edit: Entry | undefined): Entry | undefined => {
  if (edit === undefined) return message
  const replacement = Loose.record(edit["replacement"])
  return replacement === undefined ? undefined : { ...message, content: textOf(replacement["content"]) }
}

const summaries: ReadonlySet<unknown> = new Set(["branch_summary", "custom_message"])

/**
 * Reads a pi session file as the model sees it: the entries of one branch, what its last compaction kept, and its
 * context edits.
 *
 * Takes the text of the file (a JSON object a line) or its entries. `leaf` is the id of the branch's last entry; the last
 * of the file unless said, as pi itself goes on. Never throws: a line that is no entry is left out.
 *
 * **Example** (A compaction that kept a result without its call)
 *
 * ```ts
 * import { fromPiSession, pair } from "toolspan/pairing"
 *
 * const entry = (id: string, parentId: string | null, more: object) => ({ id, parentId, ...more })
 * const call = { type: "toolCall", id: "call_1|fc_1", name: "read", arguments: {} }
 * const result = { role: "toolResult", toolCallId: "call_1|fc_1", toolName: "read", content: [], isError: false }
 * const messages = fromPiSession([
 *   { type: "session", version: 3, id: "s" },
 *   entry("a", null, { type: "message", message: { role: "assistant", content: [call], stopReason: "toolUse" } }),
 *   entry("b", "a", { type: "message", message: result }),
 *   entry("c", "b", { type: "compaction", summary: "…", firstKeptEntryId: "b" })
 * ])
 *
 * pair(messages).violations.map((one) => [one.kind, one.id]) // => [["orphan_result", "call_1"]]
 * ```
 */
export const fromPiSession = (session: unknown, leaf?: string): ReadonlyArray<Message> =>
  fromPi(told(session, leaf).map(({ message }) => message))

/** What the model is told of an entry of a session. */
interface Told {
  /** Its line in the file or its index among the entries, from 0. */
  readonly line: number
  readonly message: Entry
}

/** What the model is told of a session, in its order. */
export const told = (session: unknown, leaf?: string): ReadonlyArray<Told> => {
  const lines = new Map<Entry, number>()
  for (const [line, value] of linesOf(session).entries()) {
    const entry = Loose.record(value)
    if (entry !== undefined && entry["type"] !== "session") lines.set(entry, line)
  }
  const context = compacted(branchTo([...lines.keys()], leaf))
  const edits = new Map<unknown, Entry>()
  for (const entry of context) if (entry["type"] === "context_edit") edits.set(entry["targetId"], entry)
  const messageOf = (entry: Entry, index: number): Entry | undefined => {
    if (entry["type"] === "message") {
      const message = Loose.record(entry["message"])
      return message === undefined ? undefined : edited(message, edits.get(entry["id"]))
    }
    // An older compaction inside what the last one kept says nothing any more.
    if (entry["type"] === "compaction") return index === 0 ? { role: "user" } : undefined
    return summaries.has(entry["type"]) && edited(entry, edits.get(entry["id"])) !== undefined
      ? { role: "user" }
      : undefined
  }
  return context.flatMap((entry, index) => {
    const message = messageOf(entry, index)
    return message === undefined ? [] : [{ line: lines.get(entry)!, message }]
  })
}

/** Whether a session has an entry of this id, which a branch can end in. */
export const hasEntry = (session: unknown, id: string): boolean =>
  linesOf(session).some((value) => Loose.record(value)?.["id"] === id && Loose.record(value)?.["type"] !== "session")

/** Whether this is a session: the text of its file, or its entries. A list of messages is none. */
export const isSession = (history: unknown): boolean => {
  if (typeof history === "string") {
    const end = history.indexOf("\n")
    return history.startsWith("{") &&
      Loose.record(parsed(end < 0 ? history : history.slice(0, end)))?.["type"] === "session"
  }
  const first = Loose.list(history).map(Loose.record).find((entry) => entry !== undefined)
  return first?.["type"] === "session" ||
    (first?.["type"] === "message" && Loose.record(first["message"]) !== undefined)
}

const linesOf = (session: unknown): ReadonlyArray<unknown> =>
  typeof session === "string" ? session.split("\n").map(parsed) : Loose.list(session)

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
