/** The list of calls: narrowed and ordered by what the address says, fresh without asking. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import * as Api from "./Api.ts"
import { type Feed, identity, useFeed } from "./CallFeed.ts"
import { CallRow, rowHeight } from "./CallRow.tsx"
import { Empty, NotConnected, NothingFound } from "./Empty.tsx"
import { Failed, FailedNotice } from "./Failed.tsx"
import { FilterBar } from "./FilterBar.tsx"
import { useKeys } from "./Keyboard.ts"
import type { Live } from "./LiveUpdate.ts"
import { ListHead } from "./ListHead.tsx"
import { useKeptScroll, useStill } from "./ListScroll.ts"
import { useLoaded } from "./Loaded.ts"
import { go } from "./Navigation.ts"
import { type Filter, narrows, toCall, toCalls } from "./Route.ts"
import * as Time from "./Time.ts"
import { useTitle } from "./Title.ts"
import { VirtualRows } from "./VirtualRows.tsx"

/** The row that was left, by list, so that going back finds it. */
const left = new Map<string, string>()

/** Calls that are looked through for tools that have only just come, and for conversations. */
const newest = 500

/** More than this are not counted. */
const countedAtMost = 100_000

const howMany = (total: number | undefined): string =>
  total === undefined
    ? "an unknown number of calls"
    : total >= countedAtMost
    ? `${Time.count(total, "call")} or more`
    : Time.count(total, "call")

const End = ({ feed }: { readonly feed: Feed }) => (
  <p class="list-end">
    {feed.next === undefined
      ? Time.count(feed.calls.length, "call")
      : `${feed.calls.length.toLocaleString("en-US")} of ${howMany(feed.total)}, more as you scroll`}
  </p>
)

/** Figures of all tools take the server a while: they are asked for when somebody is about to choose one. */
const noTools = () => Promise.resolve({ tools: [] })

/** The list. */
export const CallList = ({ filter, live }: { readonly filter: Filter; readonly live: Live }) => {
  useTitle(undefined)
  const key = toCalls(filter)
  const feed = useFeed(filter, live)
  const [choosing, setChoosing] = useState(false)
  const tools = useLoaded(choosing ? "tools" : "", 0, choosing ? Api.tools : noTools)
  const [chosen, setChosen] = useState<string | undefined>(() => left.get(key))
  useLayoutEffect(() => setChosen(left.get(key)), [key])
  const selected = chosen === undefined ? -1 : feed.calls.findIndex((call) => identity(call) === chosen)
  const choose = (index: number) => {
    const call = feed.calls[Math.max(0, Math.min(feed.calls.length - 1, index))]
    if (call === undefined) return
    left.set(key, identity(call))
    setChosen(identity(call))
  }
  const moved = useRef(false)
  const move = (by: 1 | -1) => {
    moved.current = true
    // A key that is held comes faster than rows are drawn.
    const last = left.get(key)
    const at = last === undefined ? -1 : feed.calls.findIndex((call) => identity(call) === last)
    choose(at < 0 ? 0 : at + by)
  }
  useLayoutEffect(() => {
    if (!moved.current) return
    moved.current = false
    document.querySelector<HTMLElement>("a.row.selected")?.focus({ preventScroll: true })
  }, [chosen])
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      const call = feed.calls[selected]
      if (call !== undefined) go(toCall(call))
    },
    Escape: () => {
      if (chosen !== undefined) {
        left.delete(key)
        setChosen(undefined)
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      } else if (Object.keys(filter).length > 0) go(toCalls())
    }
  })
  useKeptScroll(filter, key)
  useStill(filter.sort === undefined ? feed.calls : [])
  const seen = feed.calls.slice(0, newest).map(({ tool }) => tool)
  const known = [...new Set([...tools.value?.tools.map(({ tool }) => tool) ?? [], ...seen])].toSorted()
  const placed = feed.calls.slice(0, newest).some(({ conversation }) => conversation !== undefined)
  const nothing = feed.ready && feed.calls.length === 0
  return (
    <main class={placed ? "list" : "list no-place"} aria-busy={!feed.ready}>
      {!nothing && <h1 class="unseen">Tool calls</h1>}
      <div class="list-top">
        <FilterBar
          filter={filter}
          tools={known}
          fits={feed.ready ? howMany(feed.total) : ""}
          onTools={() => setChoosing(true)}
        />
        <ListHead filter={filter} />
      </div>
      {feed.failure !== undefined && (feed.ready
        ? <FailedNotice failure={feed.failure} />
        : <Failed failure={feed.failure} />)}
      {nothing && narrows(filter) && (
        <Empty title="No call fits">
          <p>
            Nothing in the store is like this. <a href={toCalls()}>Show all calls</a>
          </p>
        </Empty>
      )}
      {nothing && !narrows(filter) &&
        (live.connection === "silent" ? <NothingFound /> : <NotConnected stats={live.stats} />)}
      <div
        role="list"
        aria-label="Tool calls"
        onFocusIn={(event) => {
          const row = event.target instanceof Element ? event.target.closest("[data-index]") : null
          if (row !== null) choose(Number(row.getAttribute("data-index")))
        }}
      >
        <VirtualRows count={feed.calls.length} rowHeight={rowHeight} selected={selected} onNearEnd={feed.more}>
          {(first, end) =>
            feed.calls.slice(first, end).map((call, index) => (
              <div
                key={identity(call)}
                role="listitem"
                data-index={first + index}
                aria-posinset={first + index + 1}
                aria-setsize={feed.next === undefined ? feed.calls.length : feed.total ?? -1}
              >
                <CallRow call={call} selected={first + index === selected} />
              </div>
            ))}
        </VirtualRows>
      </div>
      {feed.ready && feed.calls.length > 0 && <End feed={feed} />}
    </main>
  )
}
