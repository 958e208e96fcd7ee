/** The chat completions API on the wire, as OpenAI and everyone compatible with it speaks it. */
import * as ProviderName from "./providerName.ts"
import type { Usage, WireCall, WireFacts, WireProtocol, WireReader } from "./Wire.ts"
import { bytesOf, failureOf, number, text } from "./Wire.ts"
import * as WireArguments from "./wireArguments.ts"
import type { CallHead, OpenCall } from "./WireCalls.ts"
import { WireCalls } from "./WireCalls.ts"

const headOf = (call: any): CallHead => ({
  id: text(call?.id),
  name: text(call?.function?.name) ?? "",
  providerExecuted: false
})

/** Cached tokens are among the prompt's, reasoning tokens among the completion's: as the conventions count. */
const usageOf = (usage: any): Usage => ({
  inputTokens: number(usage.prompt_tokens),
  outputTokens: number(usage.completion_tokens),
  cacheReadTokens: number(usage.prompt_tokens_details?.cached_tokens),
  reasoningTokens: number(usage.completion_tokens_details?.reasoning_tokens)
})

/** Fragments that belong together: those of one index, as the provider package joins them. */
interface Slot {
  readonly call: OpenCall
  /** A call that the provider package takes for a part of `call`: fragments without an id of their own are its too. */
  lost: OpenCall | undefined
}

class ChatCompletionsReader implements WireReader {
  #model: string | undefined
  #id: string | undefined
  #usage: unknown
  #failure: string | undefined
  #lastEvent = 0n
  readonly #reasons = new Map<number, string>()
  readonly #calls = new WireCalls()
  readonly #slots = new Map<number, Slot>()

  response(body: any, now: bigint): void {
    this.#about(body)
    const calls = body?.choices?.[0]?.message?.tool_calls
    for (const call of Array.isArray(calls) ? calls : []) {
      // Without `arguments` the provider package takes none; an empty text it refuses.
      const written = text(call?.function?.arguments)
      const parsed = WireArguments.parse(written ?? "{}", "fault")
      this.#calls.add(headOf(call), parsed, written === undefined ? undefined : bytesOf(written), now)
    }
  }

  event(event: any, now: bigint): void {
    this.#lastEvent = now
    if (event === "[DONE]") return this.#calls.finish(now)
    this.#about(event)
    // The provider package reads the first choice of each chunk.
    const fragments = event?.choices?.[0]?.delta?.tool_calls
    if (Array.isArray(fragments)) fragments.forEach((fragment, position) => this.#fragment(fragment, position, now))
    if (text(event?.choices?.[0]?.finish_reason) !== undefined) this.#calls.finish(now)
  }

  #about(body: any): void {
    this.#model ??= text(body?.model)
    this.#id ??= text(body?.id)
    this.#usage = body?.usage ?? this.#usage
    if (body?.error !== undefined && body.error !== null) {
      this.#failure = failureOf(body.error.code ?? body.error.type)
    }
    for (const choice of Array.isArray(body?.choices) ? body.choices : []) {
      const reason = text(choice?.finish_reason)
      if (reason !== undefined && reason !== "") this.#reasons.set(number(choice.index) ?? 0, reason)
    }
  }

  #fragment(fragment: any, position: number, now: bigint): void {
    const index = number(fragment?.index) ?? position
    const slot = this.#slots.get(index)
    if (slot === undefined) {
      const call = this.#calls.open(headOf(fragment), now)
      if (call === undefined) return
      this.#slots.set(index, { call, lost: undefined })
      call.append(fragment?.function?.arguments)
      return
    }
    const id = text(fragment?.id)
    if (id === slot.call.id) slot.lost = undefined
    else if (this.#isAnother(slot, id, fragment)) slot.lost = this.#calls.open(headOf(fragment), now)
    slot.call.named(fragment?.function?.name)
    slot.call.append(fragment?.function?.arguments)
    slot.lost?.append(fragment?.function?.arguments)
  }

  /**
   * Whether a fragment begins another call at an index that is taken, and not just goes on under a new id, as some
   * servers make one for each fragment: it names a tool, and the call before it was whole.
   */
  #isAnother(slot: Slot, id: string | undefined, fragment: any): boolean {
    if (id === undefined || id === "" || id === slot.lost?.id) return false
    if ((text(fragment.function?.name) ?? "") === "") return false
    const before = (slot.lost ?? slot.call).text
    return before !== undefined && before !== "" && WireArguments.parse(before, "fault").fault === undefined
  }

  whole(): ReadonlyArray<WireCall> {
    return this.#calls.whole()
  }

  facts(): WireFacts {
    return {
      responseModel: this.#model,
      responseId: this.#id,
      finishReasons: this.#reasons.size === 0 ? undefined : [...this.#reasons.values()],
      usage: this.#usage === undefined || this.#usage === null ? undefined : usageOf(this.#usage),
      calls: this.#calls.all(this.#lastEvent),
      droppedCalls: this.#calls.dropped,
      failure: this.#failure
    }
  }
}

/** Chat completions, as `createResponse` and `createResponseStream` of `@effect/ai-openai-compat` speak it. */
export const chatCompletions: WireProtocol = {
  provider: ProviderName.ofOpenAiUrl,
  format: "chat-completions",
  reader: () => new ChatCompletionsReader()
}
