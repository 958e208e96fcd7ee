/** The Anthropic Messages API on the wire. */
import * as Arguments from "../pairing/Arguments.ts"
import type { Usage, WireCall, WireFacts, WireProtocol, WireReader } from "./Wire.ts"
import { bytesOf } from "./Wire.ts"

interface OpenCall {
  readonly block: any
  readonly startTime: bigint
  readonly fragments: Array<string>
  endTime: bigint
  complete: boolean
}

/** Server tools run at the provider; each has a block type of its own or the general one. */
const isCall = (block: any): boolean =>
  block?.type === "tool_use" || block?.type === "server_tool_use" || block?.type === "mcp_tool_use"

const number = (value: unknown): number | undefined => typeof value === "number" ? value : undefined

const text = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

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

const mergedUsage = (before: any, after: any): any => {
  const merged = { ...before }
  for (const [key, value] of Object.entries(after ?? {})) if (value !== null && value !== undefined) merged[key] = value
  return merged
}

const parsed = (fragments: string): Pick<WireCall, "arguments" | "fault"> => {
  if (fragments.trim() === "") return { arguments: {}, fault: undefined }
  const fault = Arguments.faultOf(fragments)
  return fault === undefined
    ? { arguments: JSON.parse(fragments), fault: undefined }
    : { arguments: undefined, fault }
}

class AnthropicReader implements WireReader {
  #model: string | undefined
  #id: string | undefined
  #reason: string | undefined
  #usage: any = {}
  readonly #calls: Array<WireCall | OpenCall> = []
  readonly #open = new Map<number, OpenCall>()

  response(body: any, now: bigint): void {
    this.#model = text(body?.model)
    this.#id = text(body?.id)
    this.#reason = text(body?.stop_reason)
    this.#usage = body?.usage
    for (const block of Array.isArray(body?.content) ? body.content : []) {
      if (!isCall(block)) continue
      this.#calls.push({ ...callOf(block, now, now), arguments: block.input, fault: undefined, complete: true })
    }
  }

  event(event: any, now: bigint): void {
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
        if (!isCall(event.content_block)) return
        this.#start(event.index, event.content_block, now)
        return
      case "content_block_delta":
        if (event.delta?.type === "input_json_delta") this.#delta(event.index, event.delta.partial_json)
        return
      case "content_block_stop":
        this.#stop(event.index, now)
        return
    }
  }

  #start(index: number, block: any, now: bigint): void {
    const call: OpenCall = { block, startTime: now, endTime: now, fragments: [], complete: false }
    this.#open.set(index, call)
    this.#calls.push(call)
  }

  #delta(index: number, fragment: unknown): void {
    if (typeof fragment === "string" && fragment !== "") this.#open.get(index)?.fragments.push(fragment)
  }

  #stop(index: number, now: bigint): void {
    const call = this.#open.get(index)
    if (call === undefined) return
    this.#open.delete(index)
    call.endTime = now
    call.complete = true
    // The same object from here on: a decision keeps the call that it was matched with.
    this.#calls[this.#calls.indexOf(call)] = finished(call)
  }

  facts(): WireFacts {
    return {
      responseModel: this.#model,
      responseId: this.#id,
      finishReasons: this.#reason === undefined ? undefined : [this.#reason],
      usage: usageOf(this.#usage),
      calls: this.#calls.map((call) => "fragments" in call ? finished(call) : call)
    }
  }
}

const callOf = (block: any, startTime: bigint, endTime: bigint) => ({
  id: text(block.id),
  name: text(block.name) ?? "",
  itemId: undefined,
  callerId: text(block.caller?.tool_id),
  providerExecuted: block.type !== "tool_use",
  otherName: undefined,
  deltas: undefined,
  bytes: undefined,
  startTime,
  endTime
})

const finished = (call: OpenCall): WireCall => {
  const fragments = call.fragments.join("")
  const whole = fragments === "" && Object.keys(call.block.input ?? {}).length > 0
    ? { arguments: call.block.input as unknown, fault: undefined }
    : parsed(fragments)
  return {
    ...callOf(call.block, call.startTime, call.endTime),
    ...whole,
    deltas: call.fragments.length,
    bytes: bytesOf(fragments),
    complete: call.complete
  }
}

/** Anthropic Messages, as `createMessage` and `createMessageStream` speak it. */
export const anthropicMessages: WireProtocol = {
  provider: "anthropic",
  model: (body: any) => text(body?.model),
  reader: () => new AnthropicReader()
}
