/** The list of calls: newest first, narrowed by what the address says, fresh without asking. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import * as Api from "./Api.ts"
import { identity, useFeed } from "./CallFeed.ts"
import { CallRow, rowHeight } from "./CallRow.tsx"
import { Empty, NotConnected } from "./Empty.tsx"
import { FilterBar } from "./FilterBar.tsx"
import { useKeys } from "./Keyboard.ts"
import { useLoaded } from "./Loaded.ts"
import { go } from "./Navigation.ts"
import { type Filter, toCall, toCalls } from "./Route.ts"
import * as Time from "./Time.ts"
import { useTitle } from "./Title.ts"
import { VirtualRows } from "./VirtualRows.tsx"

/** Height of what stays at the top of the window. */
const topHeight = 122

/** The row that was left, by list, so that going back finds it. */
const left = new Map<string, string>()

/** The list. */
export const CallList = ({ filter, version }: { readonly filter: Filter; readonly version: number }) => {
  useTitle(undefined)
  const key = toCalls(filter)
  const feed = useFeed(filter, version)
  const tools = useLoaded("tools", version, Api.tools)
  const [chosen, setChosen] = useState<string | undefined>(() => left.get(key))
  useEffect(() => setChosen(left.get(key)), [key])
  const selected = chosen === undefined ? -1 : feed.calls.findIndex((call) => identity(call) === chosen)
  const choose = (index: number) => {
    const call = feed.calls[Math.max(0, Math.min(feed.calls.length - 1, index))]
    if (call === undefined) return
    left.set(key, identity(call))
    setChosen(identity(call))
  }
  useKeys({
    j: () => choose(selected + 1),
    k: () => choose(selected < 0 ? 0 : selected - 1),
    Enter: () => {
      const call = feed.calls[selected]
      if (call !== undefined) go(toCall(call))
    },
    Escape: () => {
      if (chosen !== undefined) {
        left.delete(key)
        setChosen(undefined)
      } else if (Object.keys(filter).length > 0) go(toCalls())
    }
  })
  useStill(feed.calls[0] && identity(feed.calls[0]), feed.calls)
  const narrowed = Object.keys(filter).length > 0
  return (
    <main class="list">
      <div class="list-top">
        <FilterBar filter={filter} tools={tools.value?.tools.map(({ tool }) => tool) ?? []} />
        <div class="row head" aria-hidden="true">
          <span class="c-time">Time</span>
          <span class="c-tool">Tool</span>
          <span class="c-life">Life</span>
          <span class="c-verdict">Outcome</span>
          <span class="c-faults" title="Pairing faults">Faults</span>
          <span class="c-wait" title="How long a human took to answer">Wait</span>
          <span class="c-took" title="How long the handler ran">Took</span>
          <span class="c-where">Conversation</span>
          <span class="c-id">Id</span>
        </div>
      </div>
      {feed.failure !== undefined && <p class="failure" role="alert">The calls could not be loaded. {feed.failure}</p>}
      {feed.ready && feed.calls.length === 0 && (narrowed
        ? (
          <Empty title="No call fits">
            <p>
              <a href={toCalls()}>Show all calls</a>
            </p>
          </Empty>
        )
        : <NotConnected />)}
      <div role="listbox" aria-label="Tool calls">
        <VirtualRows
          count={feed.calls.length}
          rowHeight={rowHeight}
          selected={selected}
          top={topHeight}
          onNearEnd={feed.more}
        >
          {(first, end) =>
            feed.calls.slice(first, end).map((call, index) => (
              <CallRow key={identity(call)} call={call} selected={first + index === selected} />
            ))}
        </VirtualRows>
      </div>
      {feed.ready && feed.calls.length > 0 && (
        <p class="list-end">
          {feed.next === undefined
            ? Time.count(feed.calls.length, "call")
            : `${feed.calls.length.toLocaleString("en-US")}${
              feed.total === undefined ? "" : ` of ${feed.total.toLocaleString("en-US")}`
            } calls, more as you scroll`}
        </p>
      )}
    </main>
  )
}

/** What is read stays where it is while rows come in above it. */
const useStill = (first: string | undefined, calls: ReadonlyArray<Api.ListedCall>) => {
  const before = useRef(first)
  useLayoutEffect(() => {
    const was = before.current
    before.current = first
    if (was === undefined || was === first || scrollY < rowHeight) return
    const moved = calls.findIndex((call) => identity(call) === was)
    if (moved > 0) scrollBy({ top: moved * rowHeight, behavior: "instant" })
  }, [first])
}
