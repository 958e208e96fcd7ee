import type { Message, Part, Role } from "./History.ts"
import { noParts } from "./History.ts"
import * as Loose from "./Loose.ts"

type Entry = Readonly<Record<string, unknown>>

// These run at the provider and carry their own result.
const providerRun: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "mcp_call"
])

const unfinished: ReadonlySet<unknown> = new Set(["in_progress", "searching", "interpreting", "generating", "calling"])

const readProviderRun = (entry: Entry, type: string): ReadonlyArray<Part> => {
  const id = Loose.id(entry["id"])
  // Without an id nothing can point at it, and it needs nothing that points at it.
  if (id === undefined) return noParts
  const name = Loose.id(entry["name"]) ?? type.slice(0, -"_call".length)
  const params = entry["arguments"] ?? entry["action"]
  const call: Part = { type: "call", id, name, params, providerExecuted: true, source: entry }
  if (unfinished.has(entry["status"])) return [call]
  const isFailure = entry["status"] === "failed" || (entry["error"] ?? undefined) !== undefined
  const result = entry["output"] ?? entry["result"] ?? entry["results"]
  return [call, { type: "result", id, name, isFailure, result, providerExecuted: true, source: entry }]
}

const readCall = (entry: Entry, type: string): ReadonlyArray<Part> => {
  const caller = Loose.record(entry["caller"])
  const callerId = Loose.id(caller?.["caller_id"] ?? caller?.["tool_id"])
  return [{
    type: "call",
    id: Loose.id(entry["call_id"]),
    name: Loose.id(entry["name"]) ?? (type === "function_call" ? "" : type.slice(0, -"_call".length)),
    params: entry["arguments"] ?? entry["input"] ?? entry["action"] ?? entry["operation"],
    providerExecuted: false,
    ...(callerId === undefined ? undefined : { caller: callerId }),
    source: entry
  }]
}

const readRequest = (entry: Entry): ReadonlyArray<Part> => {
  const id = Loose.id(entry["approval_request_id"] ?? entry["id"]) ?? ""
  const name = Loose.text(entry["name"])
  return [
    { type: "call", id, name, params: entry["arguments"], providerExecuted: true, source: entry },
    { type: "approval-request", approvalId: id, callId: id, source: entry }
  ]
}

const readResponse = (entry: Entry): ReadonlyArray<Part> => [{
  type: "approval-response",
  approvalId: Loose.id(entry["approval_request_id"]) ?? "",
  approved: entry["approve"] === true,
  reason: Loose.id(entry["reason"]),
  source: entry
}]

const readResult = (entry: Entry): ReadonlyArray<Part> => [{
  type: "result",
  id: Loose.id(entry["call_id"]),
  name: undefined,
  isFailure: entry["status"] === "failed",
  result: entry["output"],
  providerExecuted: false,
  source: entry
}]

const messageRoles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ["assistant", "assistant"],
  ["system", "system"],
  ["developer", "system"]
])

const roleOf = (entry: Entry | undefined, type: string): Role => {
  if (entry === undefined) return "user"
  if (type === "" || type === "message") return messageRoles.get(entry["role"]) ?? "user"
  return type.endsWith("_output") || type === "mcp_approval_response" ? "tool" : "assistant"
}

const readEntry = (entry: Entry | undefined, type: string): ReadonlyArray<Part> => {
  if (entry === undefined) return noParts
  if (type === "mcp_approval_request") return readRequest(entry)
  if (type === "mcp_approval_response") return readResponse(entry)
  if (providerRun.has(type)) return readProviderRun(entry, type)
  if (type.endsWith("_call_output")) return readResult(entry)
  return type.endsWith("_call") ? readCall(entry, type) : noParts
}

const entriesOf = (body: unknown): ReadonlyArray<unknown> =>
  Array.isArray(body) ? body : Loose.list(Loose.record(body)?.["input"])

/**
 * Reads an OpenAI Responses request body, or its list of input entries.
 *
 * Neighbouring entries of the model make one assistant message, neighbouring outputs one tool message; `items` has the
 * index of each part's entry. Calls pair by `call_id`, never by the item id; tools that run at the provider carry their
 * own result. Never throws: an entry of a strange shape is a message without parts.
 *
 * **Example** (Two calls of one decision are one message)
 *
 * ```ts
 * import { fromResponses } from "toolspan/pairing"
 *
 * const messages = fromResponses({
 *   input: [
 *     { type: "function_call", call_id: "call_1", name: "lookup", arguments: "{}" },
 *     { type: "function_call", call_id: "call_2", name: "lookup", arguments: "{}" }
 *   ]
 * })
 *
 * messages.length // => 1
 * ```
 */
export const fromResponses = (body: unknown): ReadonlyArray<Message> => {
  const source = entriesOf(body)
  const messages: Array<Message> = []
  let parts: Array<Part> = []
  let items: Array<number> = []
  let open: Role | undefined
  for (let index = 0; index < source.length; index++) {
    const entry = Loose.record(source[index])
    const type = Loose.text(entry?.["type"])
    const role = roleOf(entry, type)
    if (role !== open || role === "user" || role === "system") {
      parts = []
      items = []
      messages.push({ role, parts, items })
      open = role
    }
    for (const part of readEntry(entry, type)) {
      parts.push(part)
      items.push(index)
    }
  }
  return messages
}

/** Whether a Responses request leaves a part of its history at the provider. */
export const leftElsewhere = (
  body: unknown
): { readonly callsElsewhere: boolean; readonly resultsElsewhere: boolean } => {
  const request = Array.isArray(body) ? undefined : Loose.record(body)
  const references = entriesOf(body).some((entry) => Loose.record(entry)?.["type"] === "item_reference")
  const continues = (request?.["previous_response_id"] ?? request?.["conversation"] ?? undefined) !== undefined
  return { callsElsewhere: references || continues, resultsElsewhere: references }
}
