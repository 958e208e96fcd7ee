import { fromAnthropic } from "./AnthropicMessages.ts"
import * as Arguments from "./Arguments.ts"
import { fromChatCompletions } from "./ChatCompletions.ts"
import type { Message } from "./History.ts"
import type { PairedCall, Pairing, PairOptions } from "./Pairing.ts"
import { pair } from "./Pairing.ts"
import { fromResponses, leftElsewhere } from "./ResponsesInput.ts"
import type { ToolFacts } from "./ToolNames.ts"
import * as ToolNames from "./ToolNames.ts"
import type { Violation } from "./Violation.ts"
import * as Fault from "./Violation.ts"

/** A provider API whose request bodies can be read. */
export type WireFormat = "anthropic" | "chat-completions" | "responses"

/** What the check of a request body may know. */
export interface WireOptions {
  /** The tools of the request, for provider-defined ones that go out under a wrong name. */
  readonly tools?: ReadonlyArray<ToolFacts>
  /** The prompt that the body was made from: what was told of it is not told again, and its approvals may be pending. */
  readonly prompt?: Pairing
  /** False to leave the texts of arguments unparsed, which costs as much as the host's own encoding of the body. */
  readonly parseArguments?: boolean
}

/** A request body as a pairing, with everything that is wrong with it. */
export interface WirePairing extends Pairing {
  readonly format: WireFormat
}

/** How the messages of each request body are read. */
export const readers: Readonly<Record<WireFormat, (body: unknown) => ReadonlyArray<Message>>> = {
  anthropic: fromAnthropic,
  "chat-completions": fromChatCompletions,
  responses: fromResponses
}

const positionOf = (messages: ReadonlyArray<Message>, call: PairedCall): Fault.Position => {
  const items = messages[call.message]?.items
  return items === undefined ? call : { message: items[call.part] ?? call.message, part: 0 }
}

const callFaults = (
  messages: ReadonlyArray<Message>,
  calls: ReadonlyArray<PairedCall>,
  names: ToolNames.ToolNames | undefined,
  parseArguments: boolean
): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  for (const call of calls) {
    const otherName = names === undefined ? undefined : ToolNames.wireNameFor(names, call.name)
    if (otherName !== undefined) {
      const about = { id: call.id, key: call.key, name: call.name, otherName }
      violations.push(Fault.make("wire_name_mismatch", "wire", about, positionOf(messages, call)))
    }
    // Custom tools take any text; only `arguments` have to be JSON.
    if (!parseArguments || call.providerExecuted || typeof call.params !== "string" || !("arguments" in argued(call))) {
      continue
    }
    const fault = Arguments.faultOf(call.params)
    if (fault === undefined) continue
    const about = { id: call.id, key: call.key, name: call.name, truncated: fault === "truncated" }
    violations.push(Fault.make("argument_parse_error", "wire", about, positionOf(messages, call)))
  }
  return violations
}

const argued = (call: PairedCall): object => {
  const source = call.source as { readonly function?: unknown }
  return typeof source.function === "object" && source.function !== null ? source.function : source
}

const pendingKeys = (prompt: Pairing | undefined): ReadonlySet<string> | undefined => {
  if (prompt === undefined || prompt.approvals.length === 0) return undefined
  return new Set(prompt.calls.filter((call) => call.state === "pending").map((call) => call.key))
}

/** Those violations that are not among the ones told before: same kind, same key, told as often. */
export const notTold = (
  violations: ReadonlyArray<Violation>,
  told: ReadonlyArray<Violation>
): ReadonlyArray<Violation> => {
  if (violations.length === 0 || told.length === 0) return violations
  const counts = new Map<string, number>()
  const name = (one: Violation): string => `${one.kind} ${one.key ?? ""}`
  for (const one of told) counts.set(name(one), (counts.get(name(one)) ?? 0) + 1)
  return violations.filter((one) => {
    const count = counts.get(name(one)) ?? 0
    if (count > 0) counts.set(name(one), count - 1)
    return count === 0
  })
}

/**
 * Pairs a request body by itself; its violations have the scope `wire`.
 *
 * Where a Responses request leaves calls at the provider (`previous_response_id`, `conversation`, `item_reference`), no
 * result counts as an orphan.
 *
 * **Example** (A provider-defined tool that goes out under its toolkit name)
 *
 * ```ts
 * import { pairWire } from "toolspan/pairing"
 *
 * const body = {
 *   messages: [
 *     { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "AnthropicMemory", input: {} }] },
 *     { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "v" }] }
 *   ]
 * }
 * const { violations } = pairWire("anthropic", body, { tools: [{ name: "AnthropicMemory", wireName: "memory" }] })
 *
 * violations.map((one) => [one.kind, one.otherName]) // => [["wire_name_mismatch", "memory"]]
 * ```
 */
export const pairWire = (format: WireFormat, body: unknown, options: WireOptions = {}): WirePairing => {
  const messages = readers[format](body)
  const names = options.tools === undefined ? undefined : ToolNames.of(options.tools)
  const pending = pendingKeys(options.prompt)
  const pairOptions: PairOptions = {
    scope: "wire",
    ...(names === undefined ? undefined : { sameTool: ToolNames.sameTool(names) }),
    ...(pending === undefined ? undefined : { pending }),
    ...(format === "responses" ? leftElsewhere(body) : undefined)
  }
  const pairing = pair(messages, pairOptions)
  const more = callFaults(messages, pairing.calls, names, options.parseArguments !== false)
  const all = more.length === 0 ? pairing.violations : Fault.inOrder([...pairing.violations, ...more])
  return { ...pairing, format, violations: notTold(all, options.prompt?.violations ?? []) }
}
