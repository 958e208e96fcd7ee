/** The shapes of Effect's AI modules as far as capture reads them; the same on effect 4.0.0-rc.112 and 4.1. */
import type { Effect } from "effect/Effect"
import type { Stream } from "effect/Stream"

/** A tool of a toolkit. */
export interface Tool {
  readonly name: string
  readonly description?: string | undefined
  readonly parametersSchema?: unknown
  readonly failureMode?: "error" | "return" | undefined
  readonly needsApproval?: unknown
  /** The name on the wire, of a tool that the provider defines. */
  readonly providerName?: string | undefined
}

/** The tools of a toolkit by their name in it. */
export type Tools = Readonly<Record<string, Tool>>

/** What a handler's stream emits. */
export interface HandlerResult {
  readonly result: unknown
  readonly encodedResult: unknown
  readonly isFailure: boolean
  readonly preliminary?: boolean | undefined
  readonly failureOrigin?: "parameters" | "handler" | "result" | undefined
}

/** `Toolkit.handle`. */
export type Handle = (
  name: string,
  params: unknown,
  toolCallId?: string,
  options?: unknown
) => Effect<Stream<HandlerResult, any, any>, any, any>

/** A toolkit with its handlers. */
export interface WithHandler {
  readonly tools: Tools
  readonly handle: Handle
}

/** The options of a turn. */
export interface TurnOptions {
  readonly prompt: unknown
  readonly toolkit?: unknown
  readonly disableToolCallResolution?: boolean | undefined
}

/** A LanguageModel service. */
export interface LanguageModel {
  readonly generateText: (options: any) => Effect<any, any, any>
  readonly generateObject: (options: any) => Effect<any, any, any>
  readonly streamText: (options: any) => Stream<any, any, any>
}

/** What `LanguageModel.make` is given by a provider package. */
export interface ProviderHooks {
  readonly generateText: (options: ProviderOptions) => Effect<any, any, any>
  readonly streamText: (options: ProviderOptions) => Stream<any, any, any>
}

/** What a provider hook is given. */
export interface ProviderOptions {
  readonly prompt: unknown
  readonly tools: ReadonlyArray<Tool>
}

/** A part of a response, encoded or decoded. */
export interface ResponsePart {
  readonly type: string
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly params?: unknown
  readonly delta?: string | undefined
  readonly providerExecuted?: boolean | undefined
  readonly isFailure?: boolean | undefined
  readonly preliminary?: boolean | undefined
  readonly result?: unknown
  readonly encodedResult?: unknown
  readonly approvalId?: string | undefined
  readonly toolCallId?: string | undefined
  readonly reason?: string | undefined
  readonly modelId?: string | undefined
  readonly usage?: any
  metadata?: any
}

/** Tells an object with the given functions from anything else. */
export const hasFunctions = (value: unknown, ...names: ReadonlyArray<string>): value is Record<string, any> =>
  (typeof value === "object" || typeof value === "function") && value !== null &&
  names.every((name) => typeof (value as Record<string, unknown>)[name] === "function")

/** Tells a toolkit with handlers. */
export const isWithHandler = (value: unknown): value is WithHandler =>
  hasFunctions(value, "handle") && typeof value["tools"] === "object" && value["tools"] !== null

/** The tools that a toolkit option shows before it is resolved, if it shows them. */
export const toolsOf = (toolkit: unknown): Tools | undefined => {
  if ((typeof toolkit !== "object" && typeof toolkit !== "function") || toolkit === null) return undefined
  const tools = (toolkit as { tools?: unknown }).tools
  return typeof tools === "object" && tools !== null ? tools as Tools : undefined
}

const own = Object.prototype.hasOwnProperty

/** The tool of this name; a name such as `constructor` finds nothing. */
export const toolNamed = (tools: Tools | undefined, name: string): Tool | undefined =>
  tools !== undefined && own.call(tools, name) ? tools[name] : undefined
