/** Where in the list the reader is, and stays. */
import { useLayoutEffect, useRef } from "preact/hooks"
import { identity, keepScroll, scrollOf } from "./CallFeed.ts"
import { rowHeight } from "./CallRow.tsx"
import type { Filter } from "./Route.ts"
import type { CallJson } from "./Wire.ts"

/** Another list begins at its top, one that the reader comes back to where it was left. */
export const useKeptScroll = (filter: Filter, key: string) => {
  useLayoutEffect(() => {
    scrollTo({ top: scrollOf(filter), behavior: "instant" })
    const keep = () => keepScroll(scrollY)
    addEventListener("scroll", keep, { passive: true })
    return () => removeEventListener("scroll", keep)
  }, [key])
}

/** What is read stays where it is while rows come in above it. */
export const useStill = (calls: ReadonlyArray<CallJson>) => {
  const first = calls[0] && identity(calls[0])
  const before = useRef(first)
  useLayoutEffect(() => {
    const was = before.current
    before.current = first
    if (was === undefined || was === first || scrollY < rowHeight) return
    const index = calls.findIndex((call) => identity(call) === was)
    if (index > 0) scrollBy({ top: index * rowHeight, behavior: "instant" })
  }, [first])
}
