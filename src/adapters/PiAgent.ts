import type { Agent } from "@earendil-works/pi-agent-core"
import type { PiOptions } from "./PiTelling.ts"
import { PiTelling } from "./PiTelling.ts"

/** Agents that are told: a second telling would tell each call twice. */
const traced = new WeakSet<Agent>()

/**
 * Tells a pi agent's tool calls to a recorder, and gives back how to stop that.
 *
 * Requests, decisions, runs, blocked calls, results and the requests that use them, with the faults of each history. The
 * agent does what it did before; a second call for one agent changes nothing. Call it after the agent's hooks and
 * `streamFunction` are set: whoever replaces them later takes the telling away with them. Works with
 * `@earendil-works/pi-agent-core` 1.6.
 *
 * **Example** (An agent whose e-mails a human approves)
 *
 * ```ts
 * import { Agent } from "@earendil-works/pi-agent-core"
 * import { createFauxCore, fauxAssistantMessage } from "@earendil-works/pi-ai/providers/faux"
 * import * as api from "@opentelemetry/api"
 * import { traceAgent } from "toolspan/pi"
 * import { make } from "toolspan/recorder"
 *
 * const recorder = make({ tracer: api.trace.getTracer("my-agent"), api })
 * const provider = createFauxCore({})
 * provider.setResponses([fauxAssistantMessage("Nothing to send.")])
 *
 * const agent = new Agent({ streamFn: provider.streamSimple, initialState: { model: provider.getModel() } })
 * const stop = traceAgent(agent, { recorder, conversation: "lunch", needsApproval: ["send_email"] })
 * await agent.prompt("Invite Ada to lunch.")
 * stop()
 *
 * recorder.counts().turns // => 1
 * ```
 */
export const traceAgent = (agent: Agent, options: PiOptions): () => void => {
  if (traced.has(agent)) return () => {}
  const telling = new PiTelling(options, () => agent.sessionId)
  traced.add(agent)
  const { beforeToolCall, prepareRequest, streamFunction } = agent
  const streaming = telling.streamFn(streamFunction)
  const preparing = telling.prepareRequest((request, signal) => prepareRequest?.call(agent, request, signal))
  const before = telling.beforeToolCall(async (context, signal) => await beforeToolCall?.call(agent, context, signal))
  agent.prepareRequest = preparing
  agent.streamFunction = streaming
  agent.beforeToolCall = before
  const unsubscribe = agent.subscribe((event) => telling.listen(event))
  return () => {
    if (telling.stopped) return
    traced.delete(agent)
    unsubscribe()
    telling.stop()
    // What the app has put there since stays.
    if (agent.streamFunction === streaming) agent.streamFunction = streamFunction
    if (agent.prepareRequest === preparing) restore(agent, "prepareRequest", prepareRequest)
    if (agent.beforeToolCall === before) restore(agent, "beforeToolCall", beforeToolCall)
  }
}

const restore = <Key extends "beforeToolCall" | "prepareRequest">(
  agent: Agent,
  key: Key,
  value: Agent[Key] | undefined
): void => {
  if (value === undefined) delete agent[key]
  else agent[key] = value
}
