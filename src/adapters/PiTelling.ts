/** Tells one pi agent, or one run of pi's bare loop: what stands in for its hooks, and who listens to its events. */
import type {
  AgentContext,
  AgentEvent,
  AgentLoopConfig,
  AgentRequestUpdate,
  AgentTool,
  AgentToolResult,
  PrepareRequest,
  StreamFn
} from "@earendil-works/pi-agent-core"
import * as Loose from "../pairing/Loose.ts"
import type { Execution, Recorder } from "../recorder/index.ts"
import { withExecute, withTools } from "./PiTool.ts"
import type { PiOutcome } from "./PiTurn.ts"
import { PiTurn } from "./PiTurn.ts"
import { reading } from "./reading.ts"

/** How a pi agent, or a loop of pi, is told. */
export interface PiOptions {
  readonly recorder: Recorder
  /** What tells its calls from those of other conversations; the `sessionId` of the agent or the loop unless said. */
  readonly conversation?: string | undefined
  /** The agent's name. */
  readonly agent?: string | undefined
  /**
   * The tools for which `beforeToolCall` asks a human: there, the hook's time is an approval, and its answer the human's.
   * Whatever the hook blocks is told as denied, for any tool.
   */
  readonly needsApproval?: ReadonlyArray<string> | ((tool: string) => boolean) | undefined
}

type BeforeToolCall = NonNullable<AgentLoopConfig["beforeToolCall"]>

const kindOf = (error: unknown): unknown => error instanceof Error ? error : new Error("a tool failed with no error")

export class PiTelling {
  readonly #options: PiOptions
  readonly #guarded: Recorder["guarded"]
  readonly #sessionId: () => unknown
  readonly #wrappers = new WeakMap<AgentTool, AgentTool>()
  readonly #executes = new WeakSet<object>()
  readonly #lists = new WeakSet<object>()
  /** How each run ended, until its result is told. */
  readonly #outcomes = new WeakMap<Execution, PiOutcome>()
  #tools: ReadonlyArray<AgentTool> = []
  #turn: PiTurn | undefined
  #before: BeforeToolCall | undefined
  /** The loop is about to send a request. */
  #prepared = false
  #stopped = false
  /** Of the run in progress. */
  #signal: AbortSignal | undefined

  constructor(options: PiOptions, sessionId: () => unknown) {
    this.#options = options
    // An app that forgot its recorder hears of it here, not in a run.
    this.#guarded = options.recorder.guarded
    this.#sessionId = sessionId
  }

  get stopped(): boolean {
    return this.#stopped
  }

  #read<A>(read: () => A): A | undefined {
    return reading(this.#guarded, read)
  }

  /** In place of `prepareRequest`: the request's tools are told. */
  prepareRequest(own: PrepareRequest): PrepareRequest {
    return async (request, signal): Promise<AgentRequestUpdate | undefined> => {
      const update = await own(request, signal) ?? undefined
      if (this.#stopped) return update
      this.#prepared = true
      this.#signal = signal
      return this.#read(() => this.#prepare(request.context, update)) ?? update
    }
  }

  #prepare(context: AgentContext, update: AgentRequestUpdate | undefined): AgentRequestUpdate | undefined {
    const given = update?.context ?? context
    const tools = this.#toldTools(given.tools)
    if (tools === undefined) return update
    // Pi's own object, of which it goes on with this one; an app's that comes here instead may be fixed.
    if (given === context && Reflect.set(context, "tools", tools)) return update
    // What pi reads of an update is read as pi does: it may be an object of any kind.
    return {
      ...update,
      ...(update?.model === undefined ? undefined : { model: update.model }),
      ...(update?.thinkingLevel === undefined ? undefined : { thinkingLevel: update.thinkingLevel }),
      context: { ...given, messages: given.messages, tools }
    }
  }

  #toldTools(tools: Array<AgentTool> | undefined): Array<AgentTool> | undefined {
    this.#tools = Array.isArray(tools) ? tools : []
    if (!Array.isArray(tools) || this.#lists.has(tools)) return tools
    const list = withTools(tools, (tool) => this.#read(() => this.#told(tool)) ?? tool)
    this.#lists.add(list)
    return list
  }

  #told(tool: AgentTool): AgentTool {
    if (Loose.record(tool) === undefined || this.#executes.has(tool.execute)) return tool
    const known = this.#wrappers.get(tool)
    if (known !== undefined) return known
    const first = tool.execute
    const running = new Set<string>()
    const execute: AgentTool["execute"] = (id, params, signal, onUpdate) => {
      // An app that put a function around this one into its own tool would come back here for ever.
      if (running.has(id) && tool.execute !== first) return first.call(tool, id, params, signal, onUpdate)
      const execution = this.#read(() => this.#turn?.start(id))
      if (execution === undefined) return tool.execute(id, params, signal, onUpdate)
      running.add(id)
      return this.#run(execution, signal, () =>
        tool.execute(id, params, signal, (partial) => {
          // What a tool says after its end is heard by nobody.
          if (!this.#outcomes.has(execution)) this.#read(() => execution.progressed(partial.content))
          onUpdate?.(partial)
        })).finally(() => running.delete(id))
    }
    const wrapper = withExecute(tool, execute)
    this.#executes.add(execute)
    this.#wrappers.set(tool, wrapper)
    return wrapper
  }

  async #run(
    execution: Execution,
    signal: AbortSignal | undefined,
    body: () => Promise<AgentToolResult<unknown>>
  ): Promise<AgentToolResult<unknown>> {
    const end = (outcome: PiOutcome, more: { readonly result?: unknown; readonly error?: unknown }): void => {
      this.#outcomes.set(execution, outcome)
      execution.ended({ outcome, ...more })
    }
    let result: AgentToolResult<unknown>
    try {
      result = await execution.run(body)
    } catch (error) {
      if (signal?.aborted === true) end("interrupted", {})
      else end("failure", { error: this.#read(() => kindOf(error)) })
      throw error
    }
    const failed = this.#read(() => result?.isError === true) === true
    const content: unknown = this.#read(() => result?.content)
    if (failed) end("failure", { error: { _tag: "ToolError" }, result: content })
    else end("success", { result: content })
    return result
  }

  /** In place of the stream function: a turn begins with each request of the loop. */
  streamFn(own: StreamFn): StreamFn {
    return (model, context, options) => {
      // Requests that a tool or a hook makes by this function are not the loop's.
      if (this.#stopped || !this.#prepared || this.#read(() => isLoop(options)) !== true) {
        return own(model, context, options)
      }
      this.#prepared = false
      this.#read(() => this.#begin(model, context, options))
      const turn = this.#turn
      const failed = () => {
        if (this.#turn === turn) this.#end()
      }
      try {
        const answer = own(model, context, options)
        this.#read(() => answer instanceof Promise ? void answer.then(undefined, failed) : undefined)
        return answer
      } catch (error) {
        failed()
        throw error
      }
    }
  }

  #begin(model: unknown, context: unknown, options: unknown): void {
    this.#end()
    const { agent, conversation, needsApproval, recorder } = this.#options
    this.#turn = new PiTurn(
      {
        recorder,
        conversation: this.#read(() => Loose.text(conversation ?? this.#sessionId()) || undefined),
        agent,
        tools: this.#tools,
        hooked: this.#read(() => Loose.record(options)?.["beforeToolCall"] === this.#before) === true,
        needsApproval: (tool) =>
          typeof needsApproval === "function" ? needsApproval(tool) : needsApproval?.includes(tool) ?? false
      },
      model,
      this.#read(() => Loose.record(context)?.["messages"])
    )
  }

  /** In place of `beforeToolCall`. */
  beforeToolCall(own: BeforeToolCall): BeforeToolCall {
    const before: BeforeToolCall = (context, signal) =>
      this.#turn === undefined
        ? own(context, signal)
        : this.#turn.before(this.#read(() => context.toolCall), signal, () => own(context, signal))
    this.#before = before
    return before
  }

  /** Listens to an event of the agent or the loop. */
  listen(event: AgentEvent): void {
    this.#read(() => this.#hear(event))
  }

  #hear(event: AgentEvent): void {
    const turn = this.#turn
    if (turn === undefined) return
    switch (event.type) {
      case "message_update":
        return turn.onUpdate(event.assistantMessageEvent)
      case "message_end": {
        const { message } = event
        if (message.role === "assistant") turn.onAnswer(message)
        else if (message.role === "toolResult") turn.onResult(message, (execution) => this.#outcomes.get(execution))
        return
      }
      case "tool_execution_end":
        return turn.onEnd(event.toolCallId, event.isError, this.#signal?.aborted === true)
      case "turn_end":
      case "agent_end":
        return this.#end()
    }
  }

  #end(failed = false): void {
    const turn = this.#turn
    this.#turn = undefined
    turn?.end(failed)
  }

  /** Nothing is told from here on, and what is open is ended. */
  stop(how: { readonly failed?: boolean } = {}): void {
    this.#stopped = true
    this.#prepared = false
    this.#end(how.failed)
  }
}

/** The loop hands its whole configuration on to the stream function. */
const isLoop = (options: unknown): boolean => typeof Loose.record(options)?.["prepareRequest"] === "function"
