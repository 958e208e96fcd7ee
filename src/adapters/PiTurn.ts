/** One turn of a pi agent: a request, its answer, and the tools that run for it. */
import type { AgentTool, BeforeToolCallResult } from "@earendil-works/pi-agent-core"
import type { AssistantMessage, AssistantMessageEvent, ToolResultMessage } from "@earendil-works/pi-ai"
import type { Message } from "../pairing/History.ts"
import { noParts } from "../pairing/History.ts"
import * as Loose from "../pairing/Loose.ts"
import { fromPi, piId } from "../pairing/PiMessages.ts"
import type { Execution, RecordedTool, Recorder, Turn } from "../recorder/index.ts"
import { isRefusal } from "../recorder/index.ts"
import { PiCalls } from "./PiCalls.ts"
import type { PiCall } from "./PiCalls.ts"
import { PiStream } from "./PiStream.ts"
import { reading } from "./reading.ts"

/** What a turn knows of its surroundings. */
export interface PiPlace {
  readonly recorder: Recorder
  readonly conversation: string | undefined
  readonly agent: string | undefined
  readonly tools: ReadonlyArray<AgentTool>
  /** No hook of the app's stands before ours: a call that never came to it was refused by pi. */
  readonly hooked: boolean
  readonly needsApproval: (tool: string) => boolean
}

/** How the run of a tool ended. */
export type PiOutcome = "success" | "failure" | "interrupted"

/** A failure that has its kind and no words: pi's error texts may hold values of a call. */
const failure = (kind: string): { readonly _tag: string } => ({ _tag: kind })

const someText = (value: unknown): string | undefined => Loose.text(value) || undefined

const number = (value: unknown): number | undefined => typeof value === "number" ? value : undefined

// It stands in its place, and is the word of nobody.
const unread: Message = { role: "system", parts: noParts }

export class PiTurn {
  readonly #recorder: Recorder
  readonly #needsApproval: (tool: string) => boolean
  readonly #hooked: boolean
  readonly #turn: Turn
  readonly #stream: PiStream
  readonly #calls = new PiCalls()
  readonly #names: ReadonlySet<unknown>
  #answered = false
  #stopReason: unknown
  /** Pi's own word, after the answer, that the run failed. */
  #failed = false

  constructor(place: PiPlace, model: unknown, messages: unknown) {
    const { recorder } = place
    this.#recorder = recorder
    this.#needsApproval = place.needsApproval
    this.#hooked = place.hooked
    const tools = place.tools.flatMap((tool) => this.#read(() => toolOf(tool)) ?? [])
    this.#names = new Set(tools.map(({ name }) => name))
    this.#turn = recorder.turn({ conversation: place.conversation, agent: place.agent, tools })
    this.#stream = new PiStream(recorder.now())
    const to = {
      model: this.#read(() => someText(Loose.record(model)?.["id"])),
      provider: this.#read(() => someText(Loose.record(model)?.["provider"]))
    }
    const history = this.#read(() => Loose.list(messages).map((one) => this.#read(() => fromPi([one])[0]) ?? unread))
    const refused = this.#turn.requested({ ...to, history })
    // A call of the history that cannot be read whole: the request is told without it.
    if (refused?.reason === "internal_error") this.#turn.requested(to)
  }

  #read<A>(read: () => A): A | undefined {
    return reading(this.#recorder.guarded, read)
  }

  onUpdate(event: AssistantMessageEvent): void {
    this.#stream.take(event, this.#recorder.now())
  }

  /** The answer is there, whole or broken off. */
  onAnswer(message: AssistantMessage): void {
    const stopReason: unknown = this.#read(() => message.stopReason)
    if (this.#answered) {
      this.#failed = stopReason === "error"
      return
    }
    this.#answered = true
    this.#stopReason = stopReason
    const content = Loose.list(this.#read(() => message.content))
    this.#read(() => content.forEach((block, index) => this.#read(() => this.#decide(block, index))))
    const names = this.#read(() => ({
      model: someText(message.responseModel ?? message.model),
      id: someText(message.responseId),
      finishReasons: [someText(message.rawStopReason) ?? someText(stopReason)].filter((reason) => reason !== undefined)
    }))
    const usage = this.#read(() => {
      // A stream function of the app's own may say nothing of tokens.
      const { cacheRead, cacheWrite, input, output, reasoning } = Loose.record(message.usage) ?? {}
      const used = number(input)
      return {
        // Pi counts what came from a cache apart; the conventions count it in.
        inputTokens: used === undefined ? undefined : used + (number(cacheRead) ?? 0) + (number(cacheWrite) ?? 0),
        outputTokens: number(output),
        cacheReadTokens: number(cacheRead),
        cacheWriteTokens: number(cacheWrite),
        reasoningTokens: number(reasoning)
      }
    })
    this.#turn.responded({
      ...names,
      ...usage,
      timeToFirstChunkSeconds: this.#stream.firstChunkSeconds,
      error: stopReason === "error" ? failure("ProviderError") : undefined,
      interrupted: stopReason === "aborted"
    })
  }

  #decide(value: unknown, index: number): void {
    const block = Loose.record(value)
    if (block?.["type"] !== "toolCall") return
    const brokenOff = this.#stopReason === "error" || this.#stopReason === "aborted"
    const fragments = this.#stream.of(index)
    const { arguments: params, argumentsError, id: fullId, name } = block
    const { id, itemId } = piId(fullId)
    const reference = this.#turn.decided({
      id,
      itemId,
      name: Loose.text(name),
      arguments: params,
      deltas: fragments?.deltas,
      bytes: fragments?.bytes,
      startTime: fragments?.startTime,
      incomplete: brokenOff && fragments?.whole !== true,
      // Pi runs no call of an answer that broke off, and sends none again.
      discarded: brokenOff,
      argumentFault: argumentsError === undefined
        ? undefined
        : this.#stopReason === "length"
        ? "truncated"
        : "malformed",
      source: block
    })
    if (!brokenOff) this.#calls.add(block, { id: fullId, name, reference, unreadable: argumentsError !== undefined })
  }

  /** Asks the app's hook before a call: what it blocks is denied, and for some tools its answer is an approval. */
  async before(
    block: unknown,
    signal: AbortSignal | undefined,
    hook: () => Promise<BeforeToolCallResult | undefined>
  ): Promise<BeforeToolCallResult | undefined> {
    const call = this.#calls.ofBlock(block)
    if (call === undefined || isRefusal(call.reference)) return await hook()
    const { name, reference } = call
    this.#calls.ask(call)
    const time = this.#recorder.now()
    const isApproval = this.#read(() => this.#needsApproval(Loose.text(name))) === true
    if (isApproval) this.#turn.approvalRequested(reference)
    let answer: BeforeToolCallResult | undefined
    try {
      answer = await hook()
    } catch (error) {
      call.blocked = true
      if (isApproval) this.#turn.approvalResolved(reference, { answer: "abandoned" })
      throw error
    }
    this.#read(() => {
      // Whatever pi takes for a yes.
      const blocked = Boolean(answer?.block)
      call.blocked = blocked
      if (blocked && !isApproval) this.#turn.approvalRequested(reference, { time })
      if (blocked || isApproval) {
        // A hook that the user's abort woke up has no answer of a human.
        const told = blocked ? "denied" : signal?.aborted === true ? "abandoned" : "approved"
        const reason = this.#read(() => someText(answer?.reason))
        this.#turn.approvalResolved(reference, { answer: told, reason })
      }
    })
    return answer
  }

  /** A tool runs. */
  start(id: unknown): Execution | undefined {
    const call = this.#calls.toRun(id)
    return call === undefined ? undefined : this.#begin(call)
  }

  #begin(call: PiCall): Execution | undefined {
    if (isRefusal(call.reference)) return undefined
    const execution = this.#turn.started(call.reference)
    if (isRefusal(execution)) return undefined
    call.execution = execution
    return execution
  }

  /** Pi is done with a call: one that never ran had no tool, or arguments that do not fit it. */
  onEnd(id: unknown, isError: boolean, aborted: boolean): void {
    const call = this.#calls.toEnd(id)
    if (call === undefined) return
    call.ended = true
    if (call.execution !== undefined || !isError || aborted || call.asked || call.blocked) return
    if (this.#stopReason === "length") return
    const known = this.#names.has(call.name)
    if (known && !this.#hooked && !call.unreadable) return
    const outcome = known ? "invalid_parameters" : "unknown_tool"
    this.#begin(call)?.ended({
      outcome,
      error: failure(known ? "ToolParameterValidationError" : "ToolNotFoundError")
    })
  }

  /** The result of a call stands in the transcript. */
  onResult(message: ToolResultMessage, outcomeOf: (execution: Execution) => PiOutcome | undefined): void {
    const { content, isError, toolCallId } = message
    const call = this.#calls.toAnswer(toolCallId)
    if (call === undefined || isRefusal(call.reference)) return
    call.told = true
    const outcome = call.execution === undefined ? undefined : outcomeOf(call.execution)
    const changed = outcome !== undefined && outcome !== "interrupted" && isError === (outcome === "success")
    this.#turn.result(call.reference, {
      value: content,
      source: message,
      ...(changed ? { outcome: isError ? "failure" : "success" } as const : undefined)
    })
  }

  end(failed: boolean): void {
    const unanswered = this.#stopReason === "error" || !this.#answered
    this.#turn.end(
      this.#stopReason === "aborted"
        ? { interrupted: true }
        : unanswered
        ? { error: failure("ProviderError") }
        : failed || this.#failed
        ? { error: failure("RunError") }
        : {}
    )
  }
}

const toolOf = ({ description, name }: { readonly name: unknown; readonly description: unknown }): RecordedTool[] =>
  typeof name === "string" ? [{ name, description: someText(description) }] : []
