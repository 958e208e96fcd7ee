/** The calls of the list: page after page as the reader scrolls, and the newest as they arrive. */
import { useCallback, useEffect, useReducer, useRef } from "preact/hooks"
import * as Api from "./Api.ts"
import { type Filter, toCalls } from "./Route.ts"

/** What the list has. */
export interface Feed {
  readonly calls: ReadonlyArray<Api.ListedCall>
  /** Where the next page begins; absent when all calls are there. */
  readonly next?: string
  /** How many there are in all, when the store has counted them. */
  readonly total?: number
  /** Whether the first page has come. */
  readonly ready: boolean
  readonly failure?: string
}

const empty: Feed = { calls: [], ready: false }

/** What stays the same while a call goes on. */
export const identity = (call: Api.ListedCall): string => JSON.stringify([call.key, call.conversation, call.startedAt])

/** The newest page over what was there: known calls are replaced where they stand. */
const renewed = (before: Feed, page: Api.CallPage): Feed => {
  const known = new Map(before.calls.map((call, index) => [identity(call), index]))
  const calls = [...before.calls]
  const fresh: Array<Api.ListedCall> = []
  for (const call of page.calls) {
    const index = known.get(identity(call))
    if (index === undefined) fresh.push(call)
    else calls[index] = call
  }
  // None of the page is known: more has come than one page holds, and what lies between is not here.
  if (fresh.length === page.calls.length) return started(page)
  return { ...before, ...optional("total", page.total), calls: [...fresh, ...calls], ready: true }
}

const started = ({ calls, next, total }: Api.CallPage): Feed => ({
  calls,
  ...optional("next", next),
  ...optional("total", total),
  ready: true
})

const withoutNext = (feed: Feed): Feed => {
  const { next: _, ...rest } = feed
  return rest
}

const extended = (before: Feed, page: Api.CallPage): Feed => {
  const known = new Set(before.calls.slice(-page.calls.length).map(identity))
  const calls = page.calls.filter((call) => !known.has(identity(call)))
  return { ...withoutNext(before), ...optional("next", page.next), calls: [...before.calls, ...calls] }
}

const optional = <const K extends string, V>(name: K, value: V | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: V }

type Change = (before: Feed) => Feed

/** The calls that fit; `more` asks for the next page. */
export const useFeed = (filter: Filter, version: number): Feed & { readonly more: () => void } => {
  const key = toCalls(filter)
  const shown = useRef({ key, asking: false })
  const [state, change] = useReducer(
    (
      before: { readonly key: string; readonly feed: Feed },
      next: { readonly key: string; readonly change: Change }
    ) => ({
      key: next.key,
      feed: next.change(before.key === next.key ? before.feed : empty)
    }),
    { key, feed: empty }
  )
  useEffect(() => {
    const asking = new AbortController()
    shown.current = { key, asking: false }
    Api.calls(filter, undefined, asking.signal).then(
      (page) => change({ key, change: (before) => before.ready ? renewed(before, page) : started(page) }),
      (cause: unknown) => {
        if (!asking.signal.aborted) change({ key, change: (before) => ({ ...before, failure: String(cause) }) })
      }
    )
    return () => asking.abort()
  }, [key, version])
  const feed = state.key === key ? state.feed : empty
  const more = useCallback(() => {
    if (feed.next === undefined || shown.current.asking) return
    const asked = shown.current = { key, asking: true }
    const done = (next: Change) => {
      if (shown.current.key !== asked.key) return
      shown.current.asking = false
      change({ key, change: next })
    }
    Api.calls(filter, feed.next).then(
      (page) => done((before) => extended(before, page)),
      (cause: unknown) => done((before) => ({ ...withoutNext(before), failure: String(cause) }))
    )
  }, [key, feed.next])
  return { ...feed, more }
}
