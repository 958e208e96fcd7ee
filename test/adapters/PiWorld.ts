/**
 * A real pi agent, or a bare loop of pi, over pi's own scripted provider, with the telling on or off: what it does, and
 * what was told.
 */
import { Agent, agentLoop, runAgentLoop } from "@earendil-works/pi-agent-core"
import type {
  AgentContext,
  AgentEvent,
  AgentLoopConfig,
  AgentMessage,
  AgentOptions,
  AgentTool
} from "@earendil-works/pi-agent-core"
import type { Message, UserMessage } from "@earendil-works/pi-ai"
import type { FauxResponseStep } from "@earendil-works/pi-ai/providers/faux"
import { createFauxCore, fauxAssistantMessage, fauxText, fauxToolCall } from "@earendil-works/pi-ai/providers/faux"
import type { PiOptions } from "../../src/adapters/pi.ts"
import type { ToldLoop } from "../../src/adapters/pi.ts"
import { traceAgent, traceLoop } from "../../src/adapters/pi.ts"
import type { RecorderCounts } from "../../src/recorder/index.ts"
import * as Recorder from "../../src/recorder/index.ts"
import { checkAlways } from "../cases/check/always.ts"
import type { SpanRecord } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"

export const call = fauxToolCall
export const text = (words: string): FauxResponseStep => fauxAssistantMessage(fauxText(words))
export const calls = (...blocks: ReadonlyArray<ReturnType<typeof fauxToolCall>>): FauxResponseStep =>
  fauxAssistantMessage([...blocks], { stopReason: "toolUse" })

const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }

/** A tool of one argument. */
export const tool = (
  name: string,
  execute: AgentTool["execute"] = () =>
    Promise.resolve({ content: [{ type: "text", text: `${name} done` }], details: {} })
): AgentTool => ({ name, label: name, description: `Does ${name}.`, parameters: path, execute })

/** What a scene may do with what runs. */
export type Running = Pick<Agent, "abort" | "steer" | "streamFunction" | "state">

/** What an agent is made of, and what is done with it. */
export interface Scene {
  readonly responses: ReadonlyArray<FauxResponseStep>
  readonly tools: ReadonlyArray<AgentTool>
  readonly options?: Partial<AgentOptions>
  readonly trace?: Omit<PiOptions, "recorder">
  readonly settings?: Recorder.RecorderSettings
  /** Each prompt is one run; a function does something else with the agent. */
  readonly runs?: ReadonlyArray<string | ((agent: Agent) => Promise<void>)>
  /** How many requests are not the agent's own. */
  readonly asides?: number
  /** Slow enough that each piece of an answer arrives by itself. */
  readonly tokensPerSecond?: number
  readonly onEvent?: (event: AgentEvent, agent: Running) => void
}

export interface Played {
  /** Every event and message, without times and made-up names. */
  readonly host: ReadonlyArray<string>
  readonly spans: ReadonlyArray<SpanRecord>
  readonly counts: RecorderCounts
  /** What is wrong with the spans, in words. */
  readonly faults: () => ReadonlyArray<string>
}

const unstable = new Set(["timestamp", "durationMs", "usage", "api"])

const stable = (value: unknown): string =>
  JSON.stringify(value, (key, item: unknown) => (unstable.has(key) ? undefined : item))

const stage = (scene: Scene) => {
  const faux = createFauxCore({
    api: "faux",
    tokenSize: { min: 2, max: 2 },
    ...(scene.tokensPerSecond === undefined ? undefined : { tokensPerSecond: scene.tokensPerSecond })
  })
  faux.setResponses([...scene.responses])
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer, ...scene.settings })
  const host: Array<string> = []
  const hear = (event: AgentEvent, agent: Running) => {
    // How many pieces a text comes in is the provider's chance.
    if (event.type !== "message_update") host.push(stable(event))
    scene.onEvent?.(event, agent)
  }
  const played = (traced: boolean): Played => {
    const trail = recording.trail()
    const counts = recorder.counts()
    const faults = () => [
      ...recording.complaints,
      ...recording.open().map((name) => `${name}: never ended`),
      ...checkAlways(trail, {
        usage: Array.from({ length: traced ? faux.state.callCount - (scene.asides ?? 0) : 0 }, () => true),
        failed: true,
        openCalls: counts.open,
        internalErrors: counts.refused.internal_error ?? 0,
        pending: 0
      })
    ]
    return { host, spans: trail.spans, counts, faults }
  }
  return { faux, hear, host, played, recorder }
}

/** Plays a scene; `traced` false leaves the agent alone. */
export const play = async (scene: Scene, traced = true): Promise<Played> => {
  const { faux, hear, host, played, recorder } = stage(scene)
  const agent = new Agent({
    ...scene.options,
    streamFn: faux.streamSimple,
    initialState: { model: faux.getModel(), tools: [...scene.tools], ...scene.options?.initialState }
  })
  agent.subscribe((event) => hear(event, agent))
  const stop = traced ? traceAgent(agent, { recorder, ...scene.trace }) : () => {}
  for (const run of scene.runs ?? ["go"]) await (typeof run === "string" ? agent.prompt(run) : run(agent))
  stop()
  host.push(stable(agent.state.messages))
  return played(traced)
}

/** How an app runs a bare loop: the promise with a sink for events, or the stream. */
export type LoopKind = "runAgentLoop" | "agentLoop"

/** Plays the prompts of a scene with no agent, each as a run of the bare loop. */
export const playLoop = async (scene: Scene, kind: LoopKind, traced = true): Promise<Played> => {
  const { faux, hear, host, played, recorder } = stage(scene)
  const { afterToolCall, beforeToolCall, prepareRequest, toolExecution } = scene.options ?? {}
  const model = faux.getModel()
  const steering: Array<AgentMessage> = []
  const context: AgentContext = { messages: [], tools: [...scene.tools] }
  for (const words of scene.runs ?? ["go"]) {
    const controller = new AbortController()
    const config: AgentLoopConfig = {
      model,
      convertToLlm: (messages) => messages as Array<Message>,
      getSteeringMessages: () => Promise.resolve(steering.splice(0)),
      ...(afterToolCall && { afterToolCall }),
      ...(beforeToolCall && { beforeToolCall }),
      ...(prepareRequest && { prepareRequest }),
      ...(toolExecution && { toolExecution })
    }
    const prompt: UserMessage = { role: "user", content: String(words), timestamp: 0 }
    let running: Running | undefined
    const begin = (loop: ToldLoop) => {
      running = {
        abort: () => controller.abort(),
        steer: (message: AgentMessage) => void steering.push(message),
        streamFunction: loop.streamFn,
        state: { model }
      } as unknown as Running
      return kind === "runAgentLoop"
        ? runAgentLoop([prompt], context, loop.config, loop.emit, controller.signal, loop.streamFn)
        : agentLoop([prompt], context, loop.config, controller.signal, loop.streamFn)
    }
    const emit = (event: AgentEvent) => hear(event, running!)
    const loop = { config, streamFn: faux.streamSimple, emit }
    const begun = traced ? traceLoop(loop, { recorder, ...scene.trace }, begin) : begin(loop)
    if (begun instanceof Promise) context.messages.push(...await begun)
    else {
      for await (const event of begun) emit(event)
      context.messages.push(...await begun.result())
    }
  }
  host.push(stable(context.messages))
  return played(traced)
}
