import type { agentLoop, AgentEventSink, AgentLoopConfig, runAgentLoop, StreamFn } from "@earendil-works/pi-agent-core"
import * as Loose from "../pairing/Loose.ts"
import type { PiOptions } from "./PiTelling.ts"
import { PiTelling } from "./PiTelling.ts"

/** What a bare loop of pi is given and the telling stands in for. */
export interface PiLoop {
  readonly config: AgentLoopConfig
  readonly streamFn: StreamFn
  /** Where the events of `runAgentLoop` go; `agentLoop` has a stream for them. */
  readonly emit?: AgentEventSink | undefined
}

/** What to give to the loop instead. */
export interface ToldLoop {
  readonly config: AgentLoopConfig
  readonly streamFn: StreamFn
  readonly emit: AgentEventSink
}

type LoopPromise = ReturnType<typeof runAgentLoop>

type LoopStream = ReturnType<typeof agentLoop>

const isStream = (begun: unknown): begun is LoopStream => typeof Loose.record(begun)?.["push"] === "function"

const isPromise = (begun: unknown): begun is LoopPromise => typeof Loose.record(begun)?.["then"] === "function"

/** Hears what a loop pushes before whoever reads the stream; the loop is over with its last event. */
const hearing = (telling: PiTelling, stream: LoopStream): void => {
  const push = stream.push.bind(stream)
  stream.push = (event) => {
    telling.listen(event)
    if (event.type === "agent_end") telling.stop()
    push(event)
  }
}

/**
 * Tells one run of pi's bare loop: `runAgentLoop`, `runAgentLoopContinue`, `agentLoop` or `agentLoopContinue`.
 *
 * `run` begins the loop with what it is given in place of the app's own, and its promise or stream is what comes back. The
 * same is told as of an agent, and the loop does what it did before. Works with `@earendil-works/pi-agent-core` 1.6.
 *
 * **Example** (A loop without an agent)
 *
 * ```ts
 * import { runAgentLoop } from "@earendil-works/pi-agent-core"
 * import type { Message } from "@earendil-works/pi-ai"
 * import { createFauxCore, fauxAssistantMessage } from "@earendil-works/pi-ai/providers/faux"
 * import * as api from "@opentelemetry/api"
 * import { traceLoop } from "toolspan/pi"
 * import { make } from "toolspan/recorder"
 *
 * const recorder = make({ tracer: api.trace.getTracer("my-agent"), api })
 * const provider = createFauxCore({})
 * provider.setResponses([fauxAssistantMessage("Nothing to send.")])
 *
 * const config = { model: provider.getModel(), convertToLlm: (messages: Array<unknown>) => messages as Array<Message> }
 * const loop = { config, streamFn: provider.streamSimple, emit: () => {} }
 * const prompt = { role: "user" as const, content: "Invite Ada to lunch.", timestamp: Date.now() }
 *
 * const messages = await traceLoop(loop, { recorder, conversation: "lunch" }, ({ config, emit, streamFn }) =>
 *   runAgentLoop([prompt], { messages: [] }, config, emit, undefined, streamFn))
 *
 * messages.length // => 2
 * recorder.counts().turns // => 1
 * ```
 */
export const traceLoop = <A extends LoopPromise | LoopStream>(
  loop: PiLoop,
  options: PiOptions,
  run: (told: ToldLoop) => A
): A => {
  const { config, emit, streamFn } = loop
  const telling = new PiTelling(options, () => config.sessionId)
  const told: ToldLoop = {
    config: {
      ...config,
      prepareRequest: telling.prepareRequest((request, signal) => config.prepareRequest?.(request, signal)),
      beforeToolCall: telling.beforeToolCall(async (context, signal) => await config.beforeToolCall?.(context, signal))
    },
    streamFn: telling.streamFn(streamFn),
    emit: (event) => {
      telling.listen(event)
      return emit?.(event)
    }
  }
  let begun: A
  try {
    begun = run(told)
  } catch (error) {
    telling.stop({ failed: true })
    throw error
  }
  if (isStream(begun)) {
    hearing(telling, begun)
    return begun
  }
  if (!isPromise(begun)) return begun
  return begun.then((messages) => {
    telling.stop()
    return messages
  }, (error: unknown) => {
    telling.stop({ failed: true })
    throw error
  }) as A
}
