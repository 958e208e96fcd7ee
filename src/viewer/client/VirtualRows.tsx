/** A long list of which only the rows in view are in the document. */
import type { ComponentChildren, RefObject } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

/** Rows above and below the view that are there already when they scroll in. */
const spare = 12

/** Where the rows come out from under what stays at the top of the window. */
const coveredTo = (list: HTMLElement): number =>
  list.closest("main")?.querySelector(".list-top")?.getBoundingClientRect().bottom ?? 0

/** Rows of one height; the whole window scrolls, so that the browser's own keys and gestures work. */
export const VirtualRows = ({ count, children, onNearEnd, rowHeight, selected }: {
  readonly count: number
  readonly rowHeight: number
  /** Draws the rows from `first` to `end`. */
  readonly children: (first: number, end: number) => ComponentChildren
  /** The reader is about to see the last row. */
  readonly onNearEnd: () => void
  /** This row stays in view. */
  readonly selected: number
}) => {
  const list = useRef<HTMLDivElement>(null)
  const [first, end] = useWindow(list, count, rowHeight)
  useEffect(() => {
    if (end >= count - spare * 4) onNearEnd()
  }, [end, count, onNearEnd])
  useLayoutEffect(() => {
    if (list.current === null || selected < 0) return
    const at = list.current.getBoundingClientRect().top + selected * rowHeight
    const [above, below] = [coveredTo(list.current) - at, at + rowHeight - innerHeight]
    if (above > 0) scrollBy({ top: -above, behavior: "instant" })
    else if (below > 0) scrollBy({ top: below + 8, behavior: "instant" })
  }, [selected])
  return (
    <div ref={list} class="rows" role="presentation" style={{ height: `${count * rowHeight}px` }}>
      <div class="rows-in-view" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
        {children(first, end)}
      </div>
    </div>
  )
}

const useWindow = (
  list: RefObject<HTMLDivElement | null>,
  count: number,
  rowHeight: number
): readonly [number, number] => {
  const [range, setRange] = useState<readonly [number, number]>([0, Math.min(count, 40)])
  useLayoutEffect(() => {
    const measure = () => {
      if (list.current === null) return
      const hidden = -list.current.getBoundingClientRect().top
      const first = Math.max(0, Math.min(count, Math.floor(hidden / rowHeight)) - spare)
      const end = Math.min(count, Math.ceil((hidden + innerHeight) / rowHeight) + spare)
      setRange((before) => before[0] === first && before[1] === end ? before : [first, Math.max(first, end)])
    }
    measure()
    addEventListener("scroll", measure, { passive: true })
    addEventListener("resize", measure)
    return () => {
      removeEventListener("scroll", measure)
      removeEventListener("resize", measure)
    }
  }, [count, rowHeight])
  return range
}
