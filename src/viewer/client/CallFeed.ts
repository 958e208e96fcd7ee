/** The calls of the list: page after page as the reader scrolls, and the newest as they arrive. */
import { useCallback, useEffect, useReducer, useRef } from "preact/hooks"
import * as Api from "./Api.ts"
import { type ApiFailure, askedAgain, failureOf } from "./ApiFailure.ts"
import { useAsking } from "./Asking.ts"
import type { Live } from "./LiveUpdate.ts"
import { type Filter, toCalls } from "./Route.ts"
import type { CallJson, CallPageJson } from "./Wire.ts"

/** What the list has. */
export interface Feed {
  readonly calls: ReadonlyArray<CallJson>
  /** Where the next page begins; absent when all calls are there. */
  readonly next?: string
  /** How many there are in all, where that is known. */
  readonly total?: number
  /** Whether the first page has come. */
  readonly ready: boolean
  readonly failure?: ApiFailure
}

const empty: Feed = { calls: [], ready: false }

/** What stays the same while a call goes on. */
export const identity = ({ conversation = "", key, startedAt }: CallJson): string =>
  `${startedAt} ${conversation.length} ${conversation}${key}`

const started = ({ calls, next, total }: CallPageJson): Feed => ({
  calls,
  ready: true,
  ...(total === undefined ? {} : { total }),
  ...(next === undefined ? {} : { next })
})

/**
 * The first page as it is now, over what was there: it stands for all that it reaches, and what came after its last known
 * call follows. A page of which no call is known begins anew.
 */
export const renewed = (before: Feed, page: CallPageJson): Feed => {
  if (page.next === undefined) return started(page)
  const known = new Map(before.calls.map((call, index) => [identity(call), index]))
  const last = page.calls.findLast((call) => known.has(identity(call)))
  if (last === undefined) return started(page)
  const here = new Set(page.calls.map(identity))
  const rest = before.calls.slice(known.get(identity(last))! + 1).filter((call) => !here.has(identity(call)))
  if (rest.length === 0) return started(page)
  const next = before.next === undefined ? {} : { next: before.next }
  const total = page.total === undefined ? {} : { total: page.total }
  return { calls: [...page.calls, ...rest], ready: true, ...next, ...total }
}

/** The next page below what was there. */
export const extended = (before: Feed, page: CallPageJson): Feed => {
  const known = new Set(before.calls.slice(-page.calls.length).map(identity))
  const calls = page.calls.filter((call) => !known.has(identity(call)))
  return { ...started(page), calls: [...before.calls, ...calls] }
}

/** Known calls as they are now; those that no longer fit are left out. */
export const patched = (before: Feed, news: ReadonlyArray<CallJson>, { outcome, state }: Filter): Feed => {
  const changed = new Map(news.map((call) => [identity(call), call]))
  const keys = new Set(news.map(({ key }) => key))
  if (!before.calls.some(({ key }) => keys.has(key))) return before
  const fits = (call: CallJson) =>
    (state === undefined || call.state === state) && (outcome === undefined || call.outcome === outcome)
  return {
    ...before,
    calls: before.calls.flatMap((call) => {
      const now = keys.has(call.key) ? changed.get(identity(call)) : undefined
      return now === undefined ? [call] : fits(now) ? [now] : []
    })
  }
}

/** The list that was left last, so that going back finds it as it was. */
let kept = { key: "", feed: empty, scroll: 0 }

/** How far down the reader had scrolled in this list. */
export const scrollOf = (filter: Filter): number => kept.key === toCalls(filter) ? kept.scroll : 0

/** Remembers how far down the reader has scrolled. */
export const keepScroll = (scroll: number): void => {
  kept.scroll = scroll
}

type Change = (before: Feed) => Feed

interface Shown {
  readonly key: string
  asking: boolean
}

/** The calls that fit; `more` asks for the next page. */
export const useFeed = (filter: Filter, { news, version }: Live): Feed & { readonly more: () => void } => {
  const key = toCalls(filter)
  const shown = useRef<Shown>({ key, asking: false })
  const [state, change] = useReducer(
    (
      before: { readonly key: string; readonly feed: Feed },
      next: { readonly key: string; readonly change: Change }
    ) => ({ key: next.key, feed: next.change(before.key === next.key ? before.feed : empty) }),
    { key, feed: kept.key === key ? kept.feed : empty }
  )
  useEffect(() => {
    shown.current = { key, asking: false }
  }, [key])
  useEffect(() => {
    if (news.length > 0) change({ key, change: (before) => patched(before, news, filter) })
  }, [version])
  useAsking(key, version, (signal) =>
    Api.calls(filter, undefined, signal).then(
      (page) => {
        if (!signal.aborted) change({ key, change: (before) => before.ready ? renewed(before, page) : started(page) })
        return "answered" as const
      },
      (cause: unknown) => {
        if (signal.aborted) return "answered"
        const failure = failureOf(cause)
        change({ key, change: (before) => ({ ...before, failure }) })
        return askedAgain(failure)
      }
    ))
  const feed = state.key === key ? state.feed : empty
  if (kept.key !== key) kept = { key, feed, scroll: 0 }
  else kept.feed = feed
  const more = useCallback(() => {
    if (feed.next === undefined || shown.current.asking) return
    const asked: Shown = { key, asking: true }
    shown.current = asked
    const done = (next: Change) => {
      if (shown.current !== asked) return
      asked.asking = false
      change({ key, change: next })
    }
    Api.calls(filter, feed.next).then(
      (page) => done((before) => extended(before, page)),
      (cause: unknown) => done((before) => ({ ...before, failure: failureOf(cause) }))
    )
  }, [key, feed.next])
  return { ...feed, more }
}
