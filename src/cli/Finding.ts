/** What `toolspan doctor` found out about one thing, and what to do about it. */
import { inert } from "./InertText.ts"
import type { Style } from "./Style.ts"

/** One finding. `warn` works, but perhaps not as meant; with `fail` something is not traced or not delivered. */
export interface Finding {
  readonly status: "ok" | "warn" | "fail"
  /** The thing, in a word or two. */
  readonly about: string
  readonly found: string
  /** What to do; only where something is to be done. */
  readonly advice?: string
}

export const ok = (about: string, found: string): Finding => ({ status: "ok", about, found })

export const warn = (about: string, found: string, advice: string): Finding => ({
  status: "warn",
  about,
  found,
  advice
})

export const fail = (about: string, found: string, advice: string): Finding => ({
  status: "fail",
  about,
  found,
  advice
})

const marks = { ok: "green", warn: "yellow", fail: "red" } as const

/** As lines for people. */
export const linesOf = ({ about, advice, found, status }: Finding, style: Style): ReadonlyArray<string> => [
  `${style[marks[status]](status.padEnd(4))} ${style.bold(about)}: ${inert(found)}`,
  ...(advice === undefined ? [] : [`     ${inert(advice)}`])
]
