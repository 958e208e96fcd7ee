/** j and k in views whose rows are links or buttons: the browser knows what Enter does with them. */
import { useKeys } from "./Keyboard.ts"

const step = (rows: string, by: 1 | -1): void => {
  const all = [...document.querySelectorAll<HTMLElement>(rows)]
  const at = all.findIndex((row) => row === document.activeElement)
  const next = all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: "nearest" })
}

/** Moves among what the selector finds. */
export const useRowKeys = (rows: string): void => useKeys({ j: () => step(rows, 1), k: () => step(rows, -1) })
