/** One turn of a pi agent: a request, its answer, and the tools that run for it. */
import type { AgentTool, BeforeToolCallResult } from "@earendil-works/pi-agent-core"
import type { AssistantMessage, AssistantMessageEvent, Message, ToolResultMessage } from "@earendil-works/pi-ai"
import { fromPi, piId } from "../pairing/PiMessages.ts"
import type { Execution, Recorder, Turn } from "../recorder/index.ts"
import { isRefusal } from "../recorder/index.ts"
import { PiCalls } from "./PiCalls.ts"
import type { PiCall } from "./PiCalls.ts"
import { PiStream } from "./PiStream.ts"

/** What a turn knows of its surroundings. */
export interface PiPlace {
  readonly recorder: Recorder
  readonly conversation: string | undefined
  readonly agent: string | undefined
  readonly tools: ReadonlyArray<AgentTool>
  readonly needsApproval: (tool: string) => boolean
}

/** A failure that has its kind and no words: pi's error texts may hold values of a call. */
const failure = (kind: string): { readonly _tag: string } => ({ _tag: kind })

export class PiTurn {
  readonly #place: PiPlace
  readonly #turn: Turn
  readonly #stream: PiStream
  readonly #calls = new PiCalls()
  #message: AssistantMessage | undefined

  constructor(
    place: PiPlace,
    model: { readonly id: string; readonly provider: string },
    messages: ReadonlyArray<Message>
  ) {
    this.#place = place
    this.#turn = place.recorder.turn({
      conversation: place.conversation,
      agent: place.agent,
      tools: place.tools.map(({ description, name }) => ({ name, description }))
    })
    this.#stream = new PiStream(place.recorder.now())
    this.#turn.requested({ model: model.id, provider: model.provider, history: fromPi(messages) })
  }

  onUpdate(event: AssistantMessageEvent): void {
    this.#stream.take(event, this.#place.recorder.now())
  }

  /** The answer is there, whole or broken off. */
  onAnswer(message: AssistantMessage): void {
    if (this.#message !== undefined) return
    this.#message = message
    const brokenOff = message.stopReason === "error" || message.stopReason === "aborted"
    message.content.forEach((block, index) => {
      if (block.type !== "toolCall") return
      const fragments = this.#stream.of(index)
      const { id, itemId } = piId(block.id)
      const reference = this.#turn.decided({
        id,
        itemId,
        name: block.name,
        arguments: block.arguments,
        deltas: fragments?.deltas,
        bytes: fragments?.bytes,
        startTime: fragments?.startTime,
        incomplete: brokenOff && fragments?.whole !== true,
        argumentFault: block.argumentsError === undefined
          ? undefined
          : message.stopReason === "length"
          ? "truncated"
          : "malformed",
        source: block
      })
      if (!brokenOff) this.#calls.add(block.id, block, reference)
    })
    // A stream function of the app's own may say nothing of tokens.
    const usage: typeof message.usage | undefined = message.usage
    this.#turn.responded({
      model: message.responseModel ?? message.model,
      id: message.responseId,
      finishReasons: [message.rawStopReason ?? message.stopReason],
      // Pi counts what came from a cache apart; the conventions count it in.
      inputTokens: usage && usage.input + usage.cacheRead + usage.cacheWrite,
      outputTokens: usage?.output,
      cacheReadTokens: usage?.cacheRead,
      cacheWriteTokens: usage?.cacheWrite,
      reasoningTokens: usage?.reasoning,
      timeToFirstChunkSeconds: this.#stream.firstChunkSeconds,
      error: message.stopReason === "error" ? failure("ProviderError") : undefined,
      interrupted: message.stopReason === "aborted"
    })
  }

  /** Asks the app's hook before a call: what it blocks is denied, and for some tools its answer is an approval. */
  async before(
    block: object,
    tool: string,
    signal: AbortSignal | undefined,
    hook: () => Promise<BeforeToolCallResult | undefined>
  ): Promise<BeforeToolCallResult | undefined> {
    const call = this.#calls.ofBlock(block)
    if (call === undefined || isRefusal(call.reference)) return await hook()
    const { reference } = call
    call.asked = true
    const time = this.#place.recorder.now()
    const isApproval = this.#place.needsApproval(tool)
    if (isApproval) this.#turn.approvalRequested(reference)
    let answer: BeforeToolCallResult | undefined
    try {
      answer = await hook()
    } catch (error) {
      call.blocked = true
      if (isApproval) this.#turn.approvalResolved(reference, { answer: "abandoned" })
      throw error
    }
    const blocked = answer?.block === true
    call.blocked = blocked
    if (blocked && !isApproval) this.#turn.approvalRequested(reference, { time })
    if (blocked || isApproval) {
      // A hook that the user's abort woke up has no answer of a human.
      const told = blocked ? "denied" : signal?.aborted === true ? "abandoned" : "approved"
      this.#turn.approvalResolved(reference, { answer: told, reason: answer?.reason })
    }
    return answer
  }

  /** A tool runs. */
  start(id: string): Execution | undefined {
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
  onEnd(id: string, isError: boolean, aborted: boolean): void {
    const call = this.#calls.toEnd(id)
    if (call === undefined) return
    call.ended = true
    if (call.execution !== undefined || !isError || aborted || call.asked || call.blocked) return
    if (this.#message?.stopReason === "length") return
    const name = (call.block as { readonly name?: unknown }).name
    const known = this.#place.tools.some((tool) => tool.name === name)
    const outcome = known ? "invalid_parameters" : "unknown_tool"
    this.#begin(call)?.ended({
      outcome,
      error: failure(known ? "ToolParameterValidationError" : "ToolNotFoundError")
    })
  }

  /** The result of a call stands in the transcript. */
  onResult(message: ToolResultMessage, outcome: "success" | "failure" | "interrupted" | undefined): void {
    const call = this.#calls.toAnswer(message.toolCallId)
    if (call === undefined || isRefusal(call.reference)) return
    call.told = true
    const changed = outcome !== undefined && outcome !== "interrupted" && message.isError === (outcome === "success")
    this.#turn.result(call.reference, {
      value: message.content,
      source: message,
      ...(changed ? { outcome: message.isError ? "failure" : "success" } as const : undefined)
    })
  }

  /** How the run of the call whose result comes next ended. */
  execution(id: string): Execution | undefined {
    return this.#calls.toAnswer(id)?.execution
  }

  end(): void {
    const reason = this.#message?.stopReason
    this.#turn.end(
      reason === "aborted"
        ? { interrupted: true }
        : reason === "error" || this.#message === undefined
        ? { error: failure("ProviderError") }
        : {}
    )
  }
}
