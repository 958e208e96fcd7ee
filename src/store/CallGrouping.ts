/**
 * Which stage spans belong to one tool call.
 *
 * Links join spans wherever they are. A key joins only where it cannot mean two calls: within one conversation, or within
 * one trace when no conversation was named, and never two decisions. What nothing joins stays apart.
 */
import type { StageSpan } from "./StageSpan.ts"

/** One text for two that can hold anything. */
const pair = (a: string | undefined, b: string): string => a === undefined ? ` ${b}` : `${a.length} ${a}${b}`

/** Where a key means one call: the trace, within one conversation or without one. */
export const traceScope = ({ ambiguous, conversation, key, traceId }: StageSpan): string | undefined =>
  // The writer saw that this span could belong to two calls: a key says no more than it did then.
  key === undefined || ambiguous ? undefined : `${traceId} ${pair(conversation, key)}`

/** Where a key means one call over traces: a named conversation. `?1` counts the calls of one response: it joins none. */
export const conversationScope = ({ ambiguous, conversation, key }: StageSpan): string | undefined =>
  key === undefined || ambiguous || conversation === undefined || key.startsWith("?")
    ? undefined
    : pair(conversation, key)

/** A set of span addresses in which any two can be found joined or not. */
interface Joined {
  readonly join: (a: string, b: string) => void
  readonly root: (address: string) => string
}

const makeJoined = (): Joined => {
  const parents = new Map<string, string>()
  const root = (address: string): string => {
    let current = address
    for (let parent = parents.get(current); parent !== undefined; parent = parents.get(current)) current = parent
    if (current !== address) parents.set(address, current)
    return current
  }
  return {
    root,
    join: (a, b) => {
      const [from, to] = [root(a), root(b)]
      if (from !== to) parents.set(from, to)
    }
  }
}

const append = <K, V>(groups: Map<K, Array<V>>, key: K, value: V) => {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [value])
  else group.push(value)
}

const joinByKey = (
  joined: Joined,
  spans: ReadonlyArray<StageSpan>,
  scopeOf: (span: StageSpan) => string | undefined
) => {
  const scopes = new Map<string, Array<StageSpan>>()
  for (const span of spans) {
    const scope = scopeOf(span)
    if (scope !== undefined) append(scopes, scope, span)
  }
  const decided = new Set(
    spans.filter(({ stage }) => stage === "decision").map(({ address }) => joined.root(address))
  )
  for (const members of scopes.values()) {
    const roots = new Set(members.map(({ address }) => joined.root(address)))
    const decisions = [...roots].filter((root) => decided.has(root))
    if (decisions.length > 1) continue
    const first = decisions[0] ?? [...roots][0]!
    for (const root of roots) joined.join(root, first)
  }
}

/** Order by start, then end, then identity, so that equal times have one order. */
export const byTime = (a: StageSpan, b: StageSpan): number => {
  if (a.start !== b.start) return a.start < b.start ? -1 : 1
  if (a.end !== b.end) return a.end < b.end ? -1 : 1
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0
}

/** Groups stage spans into calls, each by time. Every span has an address of its own. */
export const group = <A extends StageSpan>(arrived: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => {
  // Scopes are gone through by time: which of two decisions gets a span must not depend on the order of arrival.
  const spans = arrived.toSorted(byTime)
  const joined = makeJoined()
  for (const { address, targets } of spans) for (const target of targets) joined.join(address, target)
  joinByKey(joined, spans, traceScope)
  joinByKey(joined, spans, conversationScope)
  const groups = new Map<string, Array<A>>()
  for (const span of spans) append(groups, joined.root(span.address), span)
  return [...groups.values()]
}
