/** Where the reader is; every view and every filter has its own address. */
import type { CallSearchJson, ViolationSearchJson } from "./Wire.ts"

/** What the list of calls is narrowed to, and its order: the names of the API, and `since` for a time until now. */
export const filterNames = [
  "q",
  "id",
  "idPrefix",
  "key",
  "tool",
  "state",
  "outcome",
  "violation",
  "conversation",
  "service",
  "since",
  "from",
  "to",
  "minDuration",
  "maxDuration",
  "sort"
] as const satisfies ReadonlyArray<Exclude<keyof CallSearchJson, "limit" | "cursor"> | "since">
/** One of the filters. */
export type FilterName = typeof filterNames[number]
/** What the list is narrowed to. */
export type Filter = Readonly<Partial<Record<FilterName, string>>>

/** The filter without one of its names, or with another value for it. */
export const changed = (filter: Filter, name: FilterName, value: string): Filter => {
  const { [name]: _, ...rest } = filter
  return value === "" ? rest : { ...rest, [name]: value }
}

/** Whether anything is left out; an order leaves nothing out. */
export const narrows = (filter: Filter): boolean => Object.keys(filter).some((name) => name !== "sort")

/** What the list of faults is narrowed to. */
export const faultFilterNames = ["kind", "tool", "conversation", "id"] as const satisfies ReadonlyArray<
  keyof ViolationSearchJson
>
/** What the list of faults is narrowed to. */
export type FaultFilter = Readonly<Partial<Record<typeof faultFilterNames[number], string>>>

/** One view and what it shows. */
export type Route =
  | { readonly view: "calls"; readonly filter: Filter }
  | { readonly view: "call"; readonly key: string; readonly conversation?: string; readonly trace?: string }
  | { readonly view: "trace"; readonly id: string; readonly span?: string }
  | { readonly view: "conversation"; readonly id: string }
  | { readonly view: "tools" }
  | { readonly view: "violations"; readonly filter: FaultFilter }
  | { readonly view: "unknown" }

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `15m`, `1h`, `7d` in milliseconds; what cannot be read is a day. */
export const spanOfTime = (text: string): number => {
  const [, amount, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  return amount === undefined ? 86_400_000 : Number(amount) * units[unit]!
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const filterOf = <const K extends string>(names: ReadonlyArray<K>, query: URLSearchParams) =>
  Object.fromEntries(names.flatMap((name) => {
    const value = query.get(name)
    return value === null || value === "" ? [] : [[name, value]]
  })) as { readonly [P in K]?: string }

const optional = <const K extends string>(name: K, value: string | null | undefined) =>
  (value === null || value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: string }

/** The view that an address means. */
export const parse = (address: { readonly pathname: string; readonly search: string }): Route => {
  const query = new URLSearchParams(address.search)
  const [, folder = "", rest = "", more] = address.pathname.split("/")
  if (rest === "" && more === undefined) {
    if (folder === "") return { view: "calls", filter: filterOf(filterNames, query) }
    if (folder === "tools") return { view: "tools" }
    if (folder === "violations") return { view: "violations", filter: filterOf(faultFilterNames, query) }
  }
  const name = decoded(rest)
  if (name === undefined || name === "" || more !== undefined) return { view: "unknown" }
  switch (folder) {
    case "calls":
      return {
        view: "call",
        key: name,
        ...optional("conversation", query.get("conversation")),
        ...optional("trace", query.get("trace"))
      }
    case "traces":
      return { view: "trace", id: name, ...optional("span", query.get("span")) }
    case "conversations":
      return { view: "conversation", id: name }
    default:
      return { view: "unknown" }
  }
}

const withQuery = (path: string, values: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined && value !== "") query.set(name, value)
  const text = query.toString()
  return text === "" ? path : `${path}?${text}`
}

/** The list, narrowed. */
export const toCalls = (filter: Filter = {}): string => withQuery("/", filter)

/** The faults, narrowed. */
export const toViolations = (filter: FaultFilter = {}): string => withQuery("/violations", filter)

/** A longer address is refused by servers. */
const longestAddress = 8000

/** One call; conversation and trace tell apart calls that share a key. A call with an endless key has its trace only. */
export const toCall = (
  call: { readonly key: string; readonly conversation?: string; readonly traces?: ReadonlyArray<string> }
): string => {
  const address = withQuery(`/calls/${segment(call.key)}`, {
    conversation: call.conversation,
    trace: call.conversation === undefined ? call.traces?.[0] : undefined
  })
  return address.length > longestAddress && call.traces?.[0] !== undefined ? toTrace(call.traces[0]) : address
}

/** One trace, with one of its spans in view. */
export const toTrace = (id: string, span?: string): string => withQuery(`/traces/${segment(id)}`, { span })

/** One conversation. */
export const toConversation = (id: string): string => `/conversations/${segment(id)}`

/** One text as one part of a path; a lone surrogate has no encoding. */
const segment = (text: string): string => encodeURIComponent(text.toWellFormed())
