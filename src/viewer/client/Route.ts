/** Where the reader is; every view and every filter has its own address. */

/** What the list of calls is narrowed to; what is absent does not narrow. */
export const filterNames = ["q", "tool", "state", "outcome", "violation", "conversation", "service"] as const
/** One of the filters. */
export type FilterName = typeof filterNames[number]
/** What the list is narrowed to. */
export type Filter = Readonly<Partial<Record<FilterName, string>>>

/** One view and what it shows. */
export type Route =
  | { readonly view: "calls"; readonly filter: Filter }
  | { readonly view: "call"; readonly key: string; readonly conversation?: string; readonly trace?: string }
  | { readonly view: "trace"; readonly id: string; readonly span?: string }
  | { readonly view: "conversation"; readonly id: string }
  | { readonly view: "tools" }
  | { readonly view: "unknown" }

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const filterOf = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterNames.flatMap((name) => {
    const value = query.get(name)
    return value === null || value === "" ? [] : [[name, value]]
  }))

const optional = <const K extends string>(name: K, value: string | null | undefined) =>
  (value === null || value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: string }

/** The view that an address means. */
export const parse = (address: { readonly pathname: string; readonly search: string }): Route => {
  const query = new URLSearchParams(address.search)
  const [, folder = "", rest = "", more] = address.pathname.split("/")
  if (folder === "" && rest === "") return { view: "calls", filter: filterOf(query) }
  if (folder === "tools" && rest === "") return { view: "tools" }
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

/** One call; conversation and trace tell apart calls that share a key. */
export const toCall = (
  call: { readonly key: string; readonly conversation?: string; readonly traces?: ReadonlyArray<string> }
): string =>
  withQuery(`/calls/${segment(call.key)}`, {
    conversation: call.conversation,
    trace: call.conversation === undefined ? call.traces?.[0] : undefined
  })

/** One trace, with one of its spans in view. */
export const toTrace = (id: string, span?: string): string => withQuery(`/traces/${segment(id)}`, { span })

/** One conversation. */
export const toConversation = (id: string): string => `/conversations/${segment(id)}`

/** One text as one part of a path; a lone surrogate has no encoding. */
const segment = (text: string): string => encodeURIComponent(text.toWellFormed())
