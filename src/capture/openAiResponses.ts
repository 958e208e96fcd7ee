/** The OpenAI Responses API on the wire. */
import * as ProviderName from "./providerName.ts"
import { callOf } from "./responsesItem.ts"
import type { Usage, WireCall, WireFacts, WireProtocol, WireReader } from "./Wire.ts"
import { bytesOf, failureOf, number, text } from "./Wire.ts"
import * as WireArguments from "./wireArguments.ts"
import type { OpenCall } from "./WireCalls.ts"
import { WireCalls } from "./WireCalls.ts"

/** Cached tokens are among the input's, reasoning tokens among the output's: as the conventions count. */
const usageOf = (usage: any): Usage => ({
  inputTokens: number(usage.input_tokens),
  outputTokens: number(usage.output_tokens),
  cacheReadTokens: number(usage.input_tokens_details?.cached_tokens),
  reasoningTokens: number(usage.output_tokens_details?.reasoning_tokens)
})

/** Why it is incomplete, else the status; the provider package drops the status, which then follows from the rest. */
const reasonOf = (response: any): string => {
  const status = text(response?.status) ??
    ((response?.error ?? undefined) !== undefined
      ? "failed"
      : (response?.incomplete_details ?? undefined) !== undefined
      ? "incomplete"
      : "completed")
  return status === "incomplete" ? text(response?.incomplete_details?.reason) ?? status : status
}

const statuses: Readonly<Record<string, string>> = {
  "response.completed": "completed",
  "response.incomplete": "incomplete",
  "response.failed": "failed"
}

class ResponsesReader implements WireReader {
  #model: string | undefined
  #id: string | undefined
  #reason: string | undefined
  #usage: unknown
  #failure: string | undefined
  #lastEvent = 0n
  readonly #calls = new WireCalls()
  readonly #open = new Map<unknown, OpenCall>()

  response(body: any, now: bigint): void {
    this.#about(body)
    this.#end(body, reasonOf(body))
    for (const item of Array.isArray(body?.output) ? body.output : []) {
      const call = callOf(item)
      if (call !== undefined) this.#calls.add(call.head, call.parsed, call.bytes, now)
    }
  }

  event(event: any, now: bigint): void {
    this.#lastEvent = now
    switch (event?.type) {
      case "response.created":
      case "response.in_progress":
        return this.#about(event.response)
      case "response.output_item.added": {
        const call = callOf(event.item)
        const open = call === undefined ? undefined : this.#calls.open(call.head, now)
        if (open !== undefined) this.#open.set(event.output_index, open)
        return
      }
      case "response.function_call_arguments.delta":
        return this.#open.get(event.output_index)?.append(event.delta)
      case "response.function_call_arguments.done":
        return this.#argumentsDone(event, now)
      case "response.output_item.done":
        return this.#itemDone(event, now)
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#about(event.response)
        return this.#end(event.response, reasonOf({ ...event.response, status: statuses[event.type] }))
      case "error":
        this.#failure = failureOf(event.code ?? event.error?.type)
        return
    }
  }

  #argumentsDone(event: any, now: bigint): void {
    const open = this.#open.get(event.output_index)
    const whole = text(event.arguments)
    if (open === undefined || whole === undefined) return
    open.replace(open.head, WireArguments.parse(whole, "fault"), bytesOf(whole))
    open.finish(now)
  }

  #itemDone(event: any, now: bigint): void {
    const call = callOf(event.item)
    if (call === undefined) return
    const open = this.#open.get(event.output_index) ?? this.#calls.open(call.head, now)
    if (open === undefined) return
    this.#open.delete(event.output_index)
    open.replace(call.head, call.parsed, call.bytes)
    open.finish(now)
  }

  #about(response: any): void {
    this.#model = text(response?.model) ?? this.#model
    this.#id = text(response?.id) ?? this.#id
    this.#usage = response?.usage ?? this.#usage
  }

  #end(response: any, reason: string): void {
    this.#reason = reason
    if (reason === "failed") this.#failure = failureOf(response?.error?.code)
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

/** OpenAI Responses, as `createResponse` and `createResponseStream` of `@effect/ai-openai` speak it. */
export const openAiResponses: WireProtocol = {
  provider: ProviderName.ofOpenAiUrl,
  format: "responses",
  reader: () => new ResponsesReader()
}
