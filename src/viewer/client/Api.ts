/** Asks the API of the server that this page came from. */
import type { Filter } from "./Route.ts"
import type { CallJson, StoryJson, StorySpanJson } from "./Wire.ts"

/** A call as the list has it. */
export type ListedCall = CallJson & { readonly faults: number }

/** Some of the calls, the newest first. */
export interface CallPage {
  readonly calls: ReadonlyArray<ListedCall>
  readonly next?: string
  readonly total?: number
}

/** An attribute value as JSON has it. */
export type AttributeJson = { readonly key: string; readonly value: unknown }

/** One span of a trace with everything that was sent. */
export interface SpanJson {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly service?: string
  readonly start: string
  readonly durationMillis: number
  readonly failed: boolean
  readonly depth: number
  readonly role?: StorySpanJson["role"]
  readonly statusMessage?: string
  readonly scope?: string
  readonly attributes: ReadonlyArray<AttributeJson>
  readonly events: ReadonlyArray<
    { readonly at: string; readonly name: string; readonly attributes: ReadonlyArray<AttributeJson> }
  >
  readonly links: ReadonlyArray<LinkJson>
  readonly linkedFrom: ReadonlyArray<LinkJson>
}

/** A link; the other end's name is known when it has arrived. */
export interface LinkJson {
  readonly type: string
  readonly traceId: string
  readonly spanId: string
  readonly name?: string
}

/** One trace, whole, in tree order. */
export interface TraceJson {
  readonly traceId: string
  readonly spans: ReadonlyArray<SpanJson>
}

/** One tool in figures; durations in milliseconds. */
export interface ToolJson {
  readonly tool: string
  readonly known: boolean
  readonly calls: number
  readonly failures: number
  readonly p50?: number
  readonly p95?: number
  readonly waitP50?: number
  readonly faults: number
}

/** One turn of a conversation and what it decided. */
export interface TurnJson {
  readonly at: string
  readonly span: { readonly traceId: string; readonly spanId: string; readonly name: string }
  readonly durationMillis: number
  readonly model?: string
  readonly failed: boolean
  readonly calls: ReadonlyArray<ListedCall>
}

/** One conversation in order. */
export interface ConversationJson {
  readonly id: string
  readonly turns: ReadonlyArray<TurnJson>
}

const ask = async <A>(path: string, signal?: AbortSignal): Promise<A> => {
  const response = await fetch(path, {
    headers: { accept: "application/json" },
    ...(signal === undefined ? {} : { signal })
  })
  if (response.ok) return await response.json() as A
  throw new Error(response.status === 404 ? "There is nothing here." : `The server answered ${response.status}.`)
}

/** Calls in a page. */
const pageSize = "500"

/** Calls that fit, from the beginning or from where the last page ended. */
export const calls = (filter: Filter, cursor: string | undefined, signal?: AbortSignal): Promise<CallPage> => {
  const query = new URLSearchParams(Object.entries(filter))
  query.set("limit", pageSize)
  if (cursor !== undefined) query.set("cursor", cursor)
  return ask(`/api/calls?${query}`, signal)
}

/** The stories of the calls with this key or id. */
export const stories = (
  key: string,
  signal?: AbortSignal
): Promise<{ readonly stories: ReadonlyArray<StoryJson>; readonly more: boolean }> =>
  ask(`/api/calls/${encodeURIComponent(key)}/story`, signal)

/** One trace. */
export const trace = (id: string, signal?: AbortSignal): Promise<TraceJson> =>
  ask(`/api/traces/${encodeURIComponent(id)}`, signal)

/** One conversation. */
export const conversation = (id: string, signal?: AbortSignal): Promise<ConversationJson> =>
  ask(`/api/conversations/${encodeURIComponent(id)}`, signal)

/** All tools that were called. */
export const tools = (signal?: AbortSignal): Promise<{ readonly tools: ReadonlyArray<ToolJson> }> =>
  ask("/api/tools", signal)
