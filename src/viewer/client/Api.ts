/** Asks the API of the server that this page came from. */
import { failureOf, obstacleOf } from "./ApiFailure.ts"
import { type Filter, filterNames, spanOfTime } from "./Route.ts"
import type {
  CallPageJson,
  ConversationJson,
  RefusalJson,
  StatsJson,
  StoriesJson,
  ToolsJson,
  TraceJson,
  ViolationPageJson,
  ViolationSearchJson
} from "./Wire.ts"

const reasonIn = (body: unknown): { readonly reason?: string } => {
  const { instead, message, reason } = (body ?? {}) as Partial<RefusalJson> & {
    readonly message?: unknown
    readonly instead?: unknown
  }
  const text = typeof instead === "string" ? `${reason}. ${instead}.` : reason ?? message
  return typeof text === "string" && text !== "" ? { reason: text } : {}
}

/** Rejects with an `ApiFailure`. */
const ask = async <A>(path: string, signal?: AbortSignal): Promise<A> => {
  const response = await fetch(path, {
    headers: { accept: "application/json" },
    ...(signal === undefined ? {} : { signal })
  }).catch((cause: unknown) => Promise.reject(failureOf(cause)))
  if (response.ok) return await response.json() as A
  const body: unknown = await response.json().catch(() => undefined)
  return Promise.reject({ obstacle: obstacleOf(response.status), status: response.status, ...reasonIn(body) })
}

const withQuery = (path: string, query: Readonly<Record<string, string | undefined>>): string => {
  const entries = Object.entries(query).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`
}

/** Calls of the first page, which is asked for again with all news, and of every other page. */
const firstPage = "200"
const nextPage = "1000"

/** The filters of the page as those of the API: a span of time until now becomes its beginning. */
const searchOf = ({ since, ...filter }: Filter): Readonly<Record<string, string | undefined>> => ({
  ...Object.fromEntries(filterNames.flatMap((name) => name === "since" ? [] : [[name, filter[name]]])),
  ...(since === undefined ? {} : { from: new Date(Date.now() - spanOfTime(since)).toISOString() })
})

/** Calls that fit, from the beginning or from where the last page ended. */
export const calls = (filter: Filter, cursor: string | undefined, signal?: AbortSignal): Promise<CallPageJson> =>
  ask(
    withQuery("/api/calls", { ...searchOf(filter), limit: cursor === undefined ? firstPage : nextPage, cursor }),
    signal
  )

/** The stories of the calls with this key or id. */
export const stories = (key: string, signal?: AbortSignal): Promise<StoriesJson> =>
  ask(`/api/calls/${encodeURIComponent(key.toWellFormed())}/story`, signal)

/** One trace. */
export const trace = (id: string, signal?: AbortSignal): Promise<TraceJson> =>
  ask(`/api/traces/${encodeURIComponent(id.toWellFormed())}`, signal)

/** One conversation. */
export const conversation = (id: string, signal?: AbortSignal): Promise<ConversationJson> =>
  ask(`/api/conversations/${encodeURIComponent(id.toWellFormed())}`, signal)

/** All tools that were called. */
export const tools = (signal?: AbortSignal): Promise<ToolsJson> => ask("/api/tools", signal)

/** Faults that fit. */
export const violations = (
  search: Omit<ViolationSearchJson, "limit">,
  signal?: AbortSignal
): Promise<ViolationPageJson> => ask(withQuery("/api/violations", { ...search, limit: "200" }), signal)

/** How much is stored. */
export const stats = (signal?: AbortSignal): Promise<StatsJson> => ask("/api/stats", signal)
