/** Moves between views without loading the document again. */
import { useEffect, useState } from "preact/hooks"
import { parse, type Route, toCalls } from "./Route.ts"

const moved = "toolspan:moved"

/** Steps of this page that lie before the present one; the browser keeps the number with each step. */
const stepsBefore = (): number => {
  const state: unknown = history.state
  const steps = typeof state === "object" && state !== null && "steps" in state ? state.steps : 0
  return typeof steps === "number" ? steps : 0
}

/** Goes back, but never out of this page. */
export const back = (): void => stepsBefore() > 0 ? history.back() : go(toCalls())

/** Goes to an address of the page; `replace` leaves no step to go back to. */
export const go = (to: string, replace = false): void => {
  if (to === location.pathname + location.search) return
  if (replace) history.replaceState({ steps: stepsBefore() }, "", to)
  else history.pushState({ steps: stepsBefore() + 1 }, "", to)
  dispatchEvent(new Event(moved))
}

/** Plain clicks on links of the page move within it; all others are the browser's. */
export const followLinks = (): void => {
  document.addEventListener("click", (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest("a") : null
    if (link === null || link.origin !== location.origin || link.target !== "" || link.hasAttribute("download")) return
    event.preventDefault()
    go(link.pathname + link.search)
  })
}

/** Where the reader is. */
export const useRoute = (): Route => {
  const [route, setRoute] = useState(() => parse(location))
  useEffect(() => {
    const follow = () => setRoute(parse(location))
    addEventListener("popstate", follow)
    addEventListener(moved, follow)
    return () => {
      removeEventListener("popstate", follow)
      removeEventListener(moved, follow)
    }
  }, [])
  return route
}
