/** The Anthropic Messages API on the wire. */
import type { Usage, WireCall, WireFacts, WireProtocol, WireReader } from "./Wire.ts"
import { failureOf, number, text } from "./Wire.ts"
import * as WireArguments from "./wireArguments.ts"
import type { CallHead, OpenCall } from "./WireCalls.ts"
import { WireCalls } from "./WireCalls.ts"

/** Server tools run at the provider; each has a block type of its own or the general one. */
const isCall = (block: any): boolean =>
  block?.type === "tool_use" || block?.type === "server_tool_use" || block?.type === "mcp_tool_use"

const headOf = (block: any): CallHead => ({
  id: text(block.id),
  name: text(block.name) ?? "",
  callerId: text(block.caller?.tool_id),
  providerExecuted: block.type !== "tool_use"
})

/** The conventions count cached tokens as input tokens; Anthropic tells them apart from the rest. */
const usageOf = (usage: any): Usage => {
  const input = number(usage?.input_tokens)
  const read = number(usage?.cache_read_input_tokens)
  const write = number(usage?.cache_creation_input_tokens)
  return {
    inputTokens: input === undefined ? undefined : input + (read ?? 0) + (write ?? 0),
    outputTokens: number(usage?.output_tokens),
    cacheReadTokens: read,
    cacheWriteTokens: write
  }
}

/** The counts of a later event are totals: they take the place of earlier ones, unless they are null. */
const mergedUsage = (before: any, after: any): any => {
  const merged = { ...before }
  for (const [key, value] of Object.entries(after ?? {})) if (value !== null && value !== undefined) merged[key] = value
  return merged
}

const hasKeys = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0

class AnthropicReader implements WireReader {
  #model: string | undefined
  #id: string | undefined
  #reason: string | undefined
  #failure: string | undefined
  #usage: any
  #lastEvent = 0n
  readonly #calls = new WireCalls()
  readonly #open = new Map<number, OpenCall>()

  response(body: any, now: bigint): void {
    this.#model = text(body?.model)
    this.#id = text(body?.id)
    this.#reason = text(body?.stop_reason)
    this.#usage = body?.usage
    for (const block of Array.isArray(body?.content) ? body.content : []) {
      if (isCall(block)) this.#calls.add(headOf(block), WireArguments.given(block.input), undefined, now)
    }
  }

  event(event: any, now: bigint): void {
    this.#lastEvent = now
    switch (event?.type) {
      case "message_start":
        this.#model = text(event.message?.model)
        this.#id = text(event.message?.id)
        this.#usage = mergedUsage(this.#usage, event.message?.usage)
        return
      case "message_delta":
        this.#reason = text(event.delta?.stop_reason) ?? this.#reason
        this.#usage = mergedUsage(this.#usage, event.usage)
        return
      case "content_block_start":
        if (isCall(event.content_block)) this.#start(event.index, event.content_block, now)
        return
      case "content_block_delta":
        if (event.delta?.type === "input_json_delta") this.#open.get(event.index)?.append(event.delta.partial_json)
        return
      case "content_block_stop":
        this.#open.get(event.index)?.finish(now)
        this.#open.delete(event.index)
        return
      case "error":
        this.#failure = failureOf(event.error?.type)
        return
    }
  }

  #start(index: number, block: any, now: bigint): void {
    const call = this.#calls.open(headOf(block), now)
    if (call === undefined) return
    this.#open.set(index, call)
    // Some servers send the arguments of a call at once, with its start.
    if (hasKeys(block.input)) call.replace(headOf(block), WireArguments.given(block.input), undefined)
  }

  whole(): ReadonlyArray<WireCall> {
    return this.#calls.whole()
  }

  facts(): WireFacts {
    return {
      responseModel: this.#model,
      responseId: this.#id,
      finishReasons: this.#reason === undefined ? undefined : [this.#reason],
      usage: this.#usage === undefined || this.#usage === null ? undefined : usageOf(this.#usage),
      calls: this.#calls.all(this.#lastEvent),
      droppedCalls: this.#calls.dropped,
      failure: this.#failure
    }
  }
}

/** Anthropic Messages, as `createMessage` and `createMessageStream` speak it. */
export const anthropicMessages: WireProtocol = {
  provider: () => "anthropic",
  format: "anthropic",
  reader: () => new AnthropicReader()
}
