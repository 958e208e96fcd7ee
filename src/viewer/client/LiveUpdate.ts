/** News from the store, as they arrive. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks"
import * as Api from "./Api.ts"
import { type ApiFailure, failureOf } from "./ApiFailure.ts"
import type { CallJson, StatsJson } from "./Wire.ts"

/** Whether the page hears of news; of a team's store there are none to hear. */
export type Connection = "connecting" | "live" | "lost" | "silent"

/** What has arrived. */
export interface Live {
  /** Counts up when something has arrived. */
  readonly version: number
  /** The calls that were new or had changed with this version. */
  readonly news: ReadonlyArray<CallJson>
  readonly connection: Connection
  /** Why there is no connection. */
  readonly failure?: ApiFailure
  readonly stats?: StatsJson
}

/** News within this time are one redraw, in milliseconds. */
const gatherFor = 200

/**
 * How often the page asks how much is stored, in milliseconds: spans that belong to no call make no event, a lost
 * connection has to be noticed, and a server that has its number of listeners already has none for this page.
 */
const askEvery = 3000

const sizeOf = ({ dropped, spans, violations }: StatsJson): string => `${spans} ${violations} ${dropped.spans}`

const callOf = (event: MessageEvent): ReadonlyArray<CallJson> => {
  try {
    return [JSON.parse(String(event.data)) as CallJson]
  } catch {
    return []
  }
}

/** Listens; the returned function ends it. */
const listen = (change: (next: (before: Live) => Live) => void): () => void => {
  let source: EventSource | undefined
  let gathering: ReturnType<typeof setTimeout> | undefined
  let asking: ReturnType<typeof setTimeout> | undefined
  let news: ReadonlyArray<CallJson> = []
  let size: string | undefined
  let silent = false
  const left = new AbortController()

  const renew = async () => {
    gathering = undefined
    const arrived = news
    news = []
    // How much there is now is no news; it is asked first, so that nothing comes between it and what the views ask.
    size = undefined
    await look()
    if (!left.signal.aborted) change((before) => ({ ...before, version: before.version + 1, news: arrived }))
  }
  const arrived = () => gathering ??= setTimeout(() => void renew(), gatherFor)
  const open = () => {
    source?.close()
    source = new EventSource("/api/live")
    source.addEventListener("call", (event) => {
      news = [...news, ...callOf(event)]
      arrived()
    })
    // Something may have come between what the views have asked and now.
    source.onopen = arrived
    // It says nothing of why: the next question does.
    source.onerror = () => void look()
  }
  const look = async () => {
    clearTimeout(asking)
    await Api.stats(left.signal).then((stats) => {
      if (size !== undefined && size !== sizeOf(stats)) arrived()
      size = sizeOf(stats)
      if (source === undefined || source.readyState === EventSource.CLOSED) open()
      change(({ failure, ...before }) => ({
        ...before,
        ...(failure === undefined ? {} : { version: before.version + 1, news: [] }),
        stats,
        connection: "live"
      }))
    }, (cause: unknown) => {
      const failure = failureOf(cause)
      silent = failure.obstacle === "unanswered"
      if (left.signal.aborted) return
      change((before) => silent ? { ...before, connection: "silent" } : { ...before, failure, connection: "lost" })
    })
    clearTimeout(asking)
    if (!left.signal.aborted && !silent) asking = setTimeout(look, askEvery)
  }
  void look()
  return () => {
    left.abort()
    clearTimeout(gathering)
    clearTimeout(asking)
    source?.close()
  }
}

const useVisible = (): boolean => {
  const [visible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const follow = () => setVisible(!document.hidden)
    document.addEventListener("visibilitychange", follow)
    return () => document.removeEventListener("visibilitychange", follow)
  }, [])
  return visible
}

/** Listens while the page can be seen: a browser has six connections for all its tabs, and each listener takes one. */
export const useLive = (paused: boolean): Live => {
  const [live, change] = useState<Live>({ version: 0, news: [], connection: "connecting" })
  const visible = useVisible()
  // Before the next frame: what is told to rest rests when it says so.
  useLayoutEffect(() => {
    if (paused || !visible) return
    // What came while nobody listened is looked up.
    change((before) =>
      before.connection === "connecting" ? before : { ...before, version: before.version + 1, news: [] }
    )
    return listen(change)
  }, [paused, visible])
  return live
}
