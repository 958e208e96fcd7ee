import type { Message } from "./History.ts"
import * as Loose from "./Loose.ts"
import type { Mending } from "./Mending.ts"
import * as MissingResult from "./MissingResult.ts"
import type { PairedCall } from "./Pairing.ts"
import type { WireFormat } from "./Wire.ts"

type Entry = Readonly<Record<string, unknown>>
type Entries = ReadonlyArray<unknown>

const text = JSON.stringify(MissingResult.value)

const sourceOf = (call: PairedCall): Entry => call.source as Entry

const anthropicAnswer = (call: PairedCall): Entry => {
  const { id, name, type } = sourceOf(call)
  if (type === "mcp_tool_use") {
    return { type: "mcp_tool_result", tool_use_id: id, is_error: true, content: [{ type: "text", text }] }
  }
  if (type === "server_tool_use") {
    const content = { type: `${String(name)}_tool_result_error`, error_code: "unavailable" }
    return { type: `${String(name)}_tool_result`, tool_use_id: id, content }
  }
  return { type: "tool_result", tool_use_id: id, content: text, is_error: true }
}

const blocksOf = (content: unknown): Entries => Array.isArray(content) ? content : [{ type: "text", text: content }]

const isResultBlock = (block: unknown): boolean => Loose.record(block)?.["type"] === "tool_result"

/** The API wants the results of the calls before anything else of the next user message. */
const withResults = (content: unknown, results: Entries): Entries => {
  const blocks = blocksOf(content)
  const first = blocks.findIndex((block) => !isResultBlock(block))
  const at = first < 0 ? blocks.length : first
  return [...blocks.slice(0, at), ...results, ...blocks.slice(at)]
}

const anthropic = (source: Entries, { answered, dropped }: Mending): Entries => {
  const messages: Array<unknown> = []
  let due: Entries = []
  source.forEach((message, index) => {
    const calls = answered.get(index) ?? []
    const lost = dropped.get(index)
    const carries = due.length > 0 && Loose.record(message)?.["role"] === "user"
    if (due.length > 0 && !carries) messages.push({ role: "user", content: due })
    const own = new Map(calls.filter((call) => call.providerExecuted).map((call) => [call.part, anthropicAnswer(call)]))
    if (own.size === 0 && lost === undefined && !carries) messages.push(message)
    else {
      const content = blocksOf(Loose.record(message)?.["content"]).flatMap((block, part) => {
        if (lost?.has(part) === true) return []
        const answer = own.get(part)
        return answer === undefined ? [block] : [block, answer]
      })
      const whole = carries ? withResults(content, due) : content
      if (whole.length > 0) messages.push({ ...(message as object), content: whole })
    }
    due = calls.filter((call) => !call.providerExecuted).map(anthropicAnswer)
  })
  if (due.length > 0) messages.push({ role: "user", content: due })
  return messages
}

/** Where each result is a message of its own, of this role. */
const resultMessages = (
  source: Entries,
  { answered, dropped }: Mending,
  role: string,
  answer: (call: PairedCall, message: unknown) => Entry
): Entries => {
  const messages: Array<unknown> = []
  let due: Entries = []
  source.forEach((message, index) => {
    if (Loose.record(message)?.["role"] !== role) {
      messages.push(...due)
      due = []
    }
    if (!dropped.has(index)) messages.push(message)
    const calls = answered.get(index) ?? []
    if (calls.length > 0) due = calls.map((call) => answer(call, message))
  })
  return [...messages, ...due]
}

const chatAnswer = (call: PairedCall): Entry => ({ role: "tool", tool_call_id: sourceOf(call)["id"], content: text })

/** It is as old as the message of the call: what is mended again is mended the same. */
const piAnswer = (call: PairedCall, message: unknown): Entry => ({
  role: "toolResult",
  toolCallId: sourceOf(call)["id"],
  toolName: call.name,
  content: [{ type: "text", text }],
  isError: true,
  timestamp: Loose.record(message)?.["timestamp"]
})

const responsesAnswer = (call: PairedCall): Entry => {
  const { call_id, id, type } = sourceOf(call)
  return type === "mcp_approval_request"
    ? { type: "mcp_approval_response", approval_request_id: id, approve: false, reason: MissingResult.text }
    : { type: `${String(type)}_output`, call_id, output: text }
}

const responses = (source: Entries, mending: Mending, messages: ReadonlyArray<Message>): Entries => {
  const dropped = new Set<number>()
  for (const [message, parts] of mending.dropped) {
    for (const part of parts) dropped.add(messages[message]!.items![part]!)
  }
  const after = new Map<number, Entries>()
  const failed = new Set<number>()
  for (const [message, calls] of mending.answered) {
    const items = messages[message]!.items!
    const answers: Array<Entry> = []
    for (const call of calls) {
      // What the provider runs has its result in its own entry.
      if (call.providerExecuted && sourceOf(call)["type"] !== "mcp_approval_request") failed.add(items[call.part]!)
      else answers.push(responsesAnswer(call))
    }
    after.set(items.at(-1)!, answers)
  }
  return source.flatMap((entry, index) => {
    const own = dropped.has(index) ? [] : failed.has(index) ? [{ ...(entry as object), status: "failed" }] : [entry]
    return [...own, ...(after.get(index) ?? [])]
  })
}

/** A request body, or its list of messages or entries, as it is with the mending done; the messages of pi alike. */
export const write = (
  format: WireFormat | "pi",
  body: unknown,
  mending: Mending,
  messages: ReadonlyArray<Message>
): unknown => {
  const name = format === "responses" ? "input" : "messages"
  const source = Array.isArray(body) ? body : Loose.list(Loose.record(body)?.[name])
  const mended = format === "anthropic"
    ? anthropic(source, mending)
    : format === "responses"
    ? responses(source, mending, messages)
    : format === "pi"
    ? resultMessages(source, mending, "toolResult", piAnswer)
    : resultMessages(source, mending, "tool", chatAnswer)
  return Array.isArray(body) ? mended : { ...(body as object), [name]: mended }
}
