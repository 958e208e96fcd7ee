/** A real pi agent over pi's own scripted provider, with the telling on or off: what it does, and what was told. */
import { Agent } from "@earendil-works/pi-agent-core"
import type { AgentEvent, AgentOptions, AgentTool } from "@earendil-works/pi-agent-core"
import type { FauxResponseStep } from "@earendil-works/pi-ai/providers/faux"
import { createFauxCore, fauxAssistantMessage, fauxText, fauxToolCall } from "@earendil-works/pi-ai/providers/faux"
import type { PiOptions } from "../../src/adapters/pi.ts"
import { traceAgent } from "../../src/adapters/pi.ts"
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
  readonly onEvent?: (event: AgentEvent, agent: Agent) => void
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

/** Plays a scene; `traced` false leaves the agent alone. */
export const play = async (scene: Scene, traced = true): Promise<Played> => {
  const faux = createFauxCore({
    api: "faux",
    tokenSize: { min: 2, max: 2 },
    ...(scene.tokensPerSecond === undefined ? undefined : { tokensPerSecond: scene.tokensPerSecond })
  })
  faux.setResponses([...scene.responses])
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer, ...scene.settings })
  const agent = new Agent({
    ...scene.options,
    streamFn: faux.streamSimple,
    initialState: { model: faux.getModel(), tools: [...scene.tools], ...scene.options?.initialState }
  })
  const host: Array<string> = []
  agent.subscribe((event) => {
    // How many pieces a text comes in is the provider's chance.
    if (event.type !== "message_update") host.push(stable(event))
    scene.onEvent?.(event, agent)
  })
  const stop = traced ? traceAgent(agent, { recorder, ...scene.trace }) : () => {}
  for (const run of scene.runs ?? ["go"]) await (typeof run === "string" ? agent.prompt(run) : run(agent))
  stop()
  host.push(stable(agent.state.messages))
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
