import type {
  Agent,
  AgentContext,
  AgentEvent,
  AgentTool,
  AgentToolResult,
  PrepareRequest
} from "@earendil-works/pi-agent-core"
import type { Execution, Recorder } from "../recorder/index.ts"
import { PiTurn } from "./PiTurn.ts"

/** How a pi agent is told. */
export interface PiOptions {
  readonly recorder: Recorder
  /** What tells its calls from those of other conversations; the agent's `sessionId` unless said. */
  readonly conversation?: string | undefined
  /** The agent's name. */
  readonly agent?: string | undefined
  /**
   * The tools for which `beforeToolCall` asks a human: there, the hook's time is an approval, and its answer the human's.
   * Whatever the hook blocks is told as denied, for any tool.
   */
  readonly needsApproval?: ReadonlyArray<string> | ((tool: string) => boolean) | undefined
}

/** Agents that are told: a second telling would tell each call twice. */
const traced = new WeakSet<Agent>()

type Outcome = "success" | "failure" | "interrupted"

/** How each run ended, until its result is told. */
type Outcomes = WeakMap<Execution, Outcome>

/** An answer that the app throws is none: its call goes on as without us. */
const needsApprovalOf = (option: PiOptions["needsApproval"]) => (tool: string): boolean => {
  if (typeof option !== "function") return option?.includes(tool) ?? false
  try {
    return option(tool)
  } catch {
    return false
  }
}

const kindOf = (error: unknown): unknown => error instanceof Error ? error : new Error("a tool failed with no error")

const run = async (
  execution: Execution,
  outcomes: Outcomes,
  signal: AbortSignal | undefined,
  body: () => Promise<AgentToolResult<unknown>>
): Promise<AgentToolResult<unknown>> => {
  const end = (outcome: Outcome, more: { readonly result?: unknown; readonly error?: unknown }): void => {
    outcomes.set(execution, outcome)
    execution.ended({ outcome, ...more })
  }
  try {
    const result = await execution.run(body)
    if (result?.isError === true) end("failure", { error: { _tag: "ToolError" }, result: result.content })
    else end("success", { result: result?.content })
    return result
  } catch (error) {
    if (signal?.aborted === true) end("interrupted", {})
    else end("failure", { error: kindOf(error) })
    throw error
  }
}

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
  traced.add(agent)
  const { recorder } = options
  const needsApproval = needsApprovalOf(options.needsApproval)
  const outcomes: Outcomes = new WeakMap()
  const { beforeToolCall, prepareRequest, streamFunction } = agent
  const wrappers = new WeakMap<AgentTool, AgentTool>()
  const originals = new WeakMap<AgentTool, AgentTool>()
  let tools: ReadonlyArray<AgentTool> = []
  let turn: PiTurn | undefined
  let stopped = false

  const told = (tool: AgentTool): AgentTool => {
    if (originals.has(tool)) return tool
    const known = wrappers.get(tool)
    if (known !== undefined) return known
    const execute: AgentTool["execute"] = (id, params, signal, onUpdate) => {
      const execution = turn?.start(id)
      if (execution === undefined) return tool.execute(id, params, signal, onUpdate)
      return run(execution, outcomes, signal, () =>
        tool.execute(id, params, signal, (partial) => {
          // What a tool says after its end is heard by nobody.
          if (!outcomes.has(execution)) execution.progressed(partial.content)
          onUpdate?.(partial)
        }))
    }
    // Everything but `execute` is the app's own tool.
    const wrapper = Object.create(tool, { execute: { value: execute, enumerable: true } }) as AgentTool
    wrappers.set(tool, wrapper)
    originals.set(wrapper, tool)
    return wrapper
  }

  const withToldTools = (context: AgentContext): AgentContext => {
    tools = context.tools ?? []
    return context.tools === undefined ? context : { ...context, tools: context.tools.map(told) }
  }

  const preparing: PrepareRequest = async (request, signal) => {
    const update = await prepareRequest?.call(agent, request, signal) ?? undefined
    return { ...update, context: withToldTools(update?.context ?? request.context) }
  }

  const streaming: Agent["streamFunction"] = (model, context, streamOptions) => {
    // The run in progress, or a function that the app put around this one, still comes here.
    if (stopped) return streamFunction(model, context, streamOptions)
    turn?.end()
    const conversation = options.conversation ?? agent.sessionId
    const place = { recorder, conversation, agent: options.agent, tools, needsApproval }
    turn = new PiTurn(place, model, context.messages)
    return streamFunction(model, context, streamOptions)
  }

  const before: NonNullable<Agent["beforeToolCall"]> = (context, signal) => {
    const hook = async () => await beforeToolCall?.call(agent, context, signal)
    return turn === undefined ? hook() : turn.before(context.toolCall, context.toolCall.name, signal, hook)
  }

  const listen = (event: AgentEvent, signal: AbortSignal): void => {
    if (turn === undefined) return
    switch (event.type) {
      case "message_update":
        return turn.onUpdate(event.assistantMessageEvent)
      case "message_end": {
        const { message } = event
        if (message.role === "assistant") turn.onAnswer(message)
        else if (message.role === "toolResult") {
          const execution = turn.execution(message.toolCallId)
          turn.onResult(message, execution === undefined ? undefined : outcomes.get(execution))
        }
        return
      }
      case "tool_execution_end":
        return turn.onEnd(event.toolCallId, event.isError, signal.aborted)
      case "turn_end":
      case "agent_end":
        turn.end()
        turn = undefined
        return
    }
  }

  agent.prepareRequest = preparing
  agent.streamFunction = streaming
  agent.beforeToolCall = before
  const unsubscribe = agent.subscribe(listen)
  return () => {
    if (stopped) return
    stopped = true
    traced.delete(agent)
    unsubscribe()
    turn?.end()
    turn = undefined
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
