/** Histories in a form of the tests' own, and how each format writes them. */
import * as fc from "fast-check"
import type { HistoryFormat } from "../../src/pairing/Check.ts"

export interface PlainCall {
  readonly kind: "call"
  readonly id: string | undefined
  readonly name: string
  /** As JSON text, perhaps a broken one. */
  readonly args: string
  readonly atProvider?: boolean
}

export interface PlainResult {
  readonly kind: "result"
  readonly id: string | undefined
  readonly name: string
  readonly atProvider?: boolean
}

export type PlainPart = PlainCall | PlainResult | { readonly kind: "text" }

export interface PlainMessage {
  readonly role: "user" | "assistant" | "tool"
  readonly parts: ReadonlyArray<PlainPart>
}

export type PlainHistory = ReadonlyArray<PlainMessage>

/** A history as a format writes it, and where the format has each part. */
export interface Encoded {
  readonly history: unknown
  readonly positions: ReadonlyArray<ReadonlyArray<string>>
}

const parsed = (args: string): unknown => {
  try {
    return JSON.parse(args)
  } catch {
    return {}
  }
}

// A part's own place, for the formats that keep the messages as they are.
const inPlace = (history: PlainHistory): ReadonlyArray<ReadonlyArray<string>> =>
  history.map((message, index) => message.parts.map((_, part) => `${index}.${part}`))

const effectPart = (part: PlainPart): object => {
  if (part.kind === "text") return { type: "text", text: "words" }
  const providerExecuted = part.atProvider === true
  return part.kind === "call"
    ? { type: "tool-call", id: part.id, name: part.name, params: parsed(part.args), providerExecuted }
    : { type: "tool-result", id: part.id, name: part.name, isFailure: false, result: "v", providerExecuted }
}

const toEffect = (history: PlainHistory): Encoded => ({
  history: { content: history.map(({ parts, role }) => ({ role, content: parts.map(effectPart) })) },
  positions: inPlace(history)
})

const anthropicBlock = (part: PlainPart): object => {
  if (part.kind === "text") return { type: "text", text: "words" }
  if (part.kind === "call") {
    const type = part.atProvider === true ? "server_tool_use" : "tool_use"
    return { type, id: part.id, name: part.name, input: parsed(part.args) }
  }
  const type = part.atProvider === true ? "web_search_tool_result" : "tool_result"
  return { type, tool_use_id: part.id, content: "v" }
}

const toAnthropic = (history: PlainHistory): Encoded => ({
  history: {
    model: "m",
    messages: history.map(({ parts, role }) => ({
      role: role === "assistant" ? "assistant" : "user",
      content: parts.map(anthropicBlock)
    }))
  },
  positions: inPlace(history)
})

const toChatCompletions = (history: PlainHistory): Encoded => {
  const messages: Array<object> = []
  const positions = history.map(({ parts, role }) => {
    if (role === "tool") {
      return parts.map((part) => {
        messages.push({ role, tool_call_id: part.kind === "result" ? part.id : undefined, content: "v" })
        return `${messages.length - 1}.0`
      })
    }
    const calls = parts.filter((part) => part.kind === "call")
    messages.push({
      role,
      content: "words",
      ...(role === "assistant"
        ? {
          tool_calls: calls.map((one) => ({
            id: one.id,
            type: "function",
            function: { name: one.name, arguments: one.args }
          }))
        }
        : {})
    })
    return parts.map((part) => `${messages.length - 1}.${calls.findIndex((one) => one === part)}`)
  })
  return { history: { model: "m", messages }, positions }
}

const toResponses = (history: PlainHistory): Encoded => {
  const input: Array<object> = []
  const positions = history.map(({ parts, role }) =>
    parts.map((part) => {
      if (part.kind === "text") {
        input.push({ type: "message", role, content: "words" })
      } else if (part.kind === "call") {
        input.push({ type: "function_call", id: "fc", call_id: part.id, name: part.name, arguments: part.args })
      } else {
        input.push({ type: "function_call_output", call_id: part.id, output: "v" })
      }
      return `${input.length - 1}.0`
    })
  )
  return { history: { model: "m", input }, positions }
}

const toPi = (history: PlainHistory): Encoded => {
  const messages: Array<object> = []
  const positions = history.map(({ parts, role }) => {
    if (role === "tool") {
      return parts.map((part) => {
        const { id, name } = part.kind === "result" ? part : { id: undefined, name: "" }
        messages.push({ role: "toolResult", toolCallId: id, toolName: name, content: [], isError: false, timestamp: 1 })
        return `${messages.length - 1}.0`
      })
    }
    const content = parts.map((part) =>
      part.kind === "call"
        ? { type: "toolCall", id: part.id, name: part.name, arguments: parsed(part.args) }
        : { type: "text", text: "words" }
    )
    messages.push({ role, content, timestamp: 1 })
    return parts.map((_, part) => `${messages.length - 1}.${part}`)
  })
  return { history: messages, positions }
}

export const encoders: Readonly<Record<HistoryFormat, (history: PlainHistory) => Encoded>> = {
  effect: toEffect,
  anthropic: toAnthropic,
  "chat-completions": toChatCompletions,
  responses: toResponses,
  pi: toPi
}

export const formats: ReadonlyArray<HistoryFormat> = ["effect", "anthropic", "chat-completions", "responses", "pi"]

/** The formats that can hold provider-run calls as parts of their own. */
export const formatsWithServerTools: ReadonlyArray<HistoryFormat> = ["effect", "anthropic"]

const text: PlainPart = { kind: "text" }

interface Round {
  readonly calls: ReadonlyArray<{ readonly suffix: string; readonly name: string; readonly rank: number }>
  readonly opens: boolean
  readonly closes: boolean
  readonly searches: boolean
}

const round = fc.record<Round>({
  calls: fc.array(
    fc.record({
      suffix: fc.constantFrom("", "#2", "%23", "?", "_long_".repeat(12), "é"),
      name: fc.constantFrom("lookup", "add_note", "ping"),
      rank: fc.nat(100)
    }),
    { minLength: 1, maxLength: 4 }
  ),
  opens: fc.boolean(),
  closes: fc.boolean(),
  searches: fc.boolean()
})

const toHistory = (rounds: ReadonlyArray<Round>, serverTools: boolean): PlainHistory => {
  let count = 0
  const history: Array<PlainMessage> = []
  for (const { calls, closes, opens, searches } of rounds) {
    history.push({ role: "user", parts: [text] })
    const asking = calls.map(({ name, rank, suffix }) => ({
      rank,
      call: { kind: "call", id: `${suffix}c${count++}${suffix}`, name, args: "{\"key\":\"alpha\"}" } as const
    }))
    const search = serverTools && searches
      ? [
        { kind: "call", id: `s${count}`, name: "web_search", args: "{}", atProvider: true } as const,
        { kind: "result", id: `s${count++}`, name: "web_search", atProvider: true } as const
      ]
      : []
    history.push({
      role: "assistant",
      parts: [...(opens ? [text] : []), ...search, ...asking.map((one) => one.call)]
    })
    const answering = asking.toSorted((one, two) => one.rank - two.rank)
    history.push({
      role: "tool",
      parts: answering.map(({ call }) => ({ kind: "result", id: call.id, name: call.name }) as const)
    })
    if (closes) history.push({ role: "assistant", parts: [text] })
  }
  history.push({ role: "user", parts: [text] })
  return history
}

/** Histories in which every call has its one result and every id is there once. */
export const wellPaired = (serverTools: boolean): fc.Arbitrary<PlainHistory> =>
  fc.array(round, { minLength: 1, maxLength: 6 }).map((rounds) => toHistory(rounds, serverTools))

const anyId = fc.constantFrom("a", "a", "b", "c", "a#2", "", undefined)
const anyName = fc.constantFrom("lookup", "lookup", "ping", "")

const anyCall: fc.Arbitrary<PlainPart> = fc.record({
  kind: fc.constant("call" as const),
  id: anyId,
  name: anyName,
  args: fc.constant("{}")
})

const anyResult: fc.Arbitrary<PlainPart> = fc.record({ kind: fc.constant("result" as const), id: anyId, name: anyName })

/** Histories of any quality, with few ids so that they meet. */
export const anyHistory: fc.Arbitrary<PlainHistory> = fc.array(
  fc.oneof(
    fc.constant<PlainMessage>({ role: "user", parts: [text] }),
    fc.array(fc.oneof(fc.constant(text), anyCall, anyCall), { minLength: 1, maxLength: 4 }).map(
      (parts): PlainMessage => ({ role: "assistant", parts })
    ),
    fc.array(anyResult, { minLength: 1, maxLength: 3 }).map((parts): PlainMessage => ({ role: "tool", parts }))
  ),
  { maxLength: 12 }
)
