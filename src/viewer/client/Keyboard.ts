/** Keys of the page. They rest while the reader types or holds a modifier. */
import { useLayoutEffect, useRef } from "preact/hooks"

/** What each key does. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input:not([type=checkbox]), select, textarea") !== null

/** Controls that have their own use for Enter. */
const acts = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("a, button, summary") !== null

/** Listens while the view is shown. */
export const useKeys = (keys: Keys): void => {
  const current = useRef(keys)
  current.current = keys
  // With the view itself, not a frame later.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.isComposing) return
      if (typing(event.target) || (event.key === "Enter" && acts(event.target))) return
      if (!Object.hasOwn(current.current, event.key)) return
      event.preventDefault()
      current.current[event.key]?.(event)
    }
    document.addEventListener("keydown", press)
    return () => document.removeEventListener("keydown", press)
  }, [])
}
