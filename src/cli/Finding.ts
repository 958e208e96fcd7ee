/** What `toolspan doctor` found out about one thing, and what to do about it. */
import * as Column from "./Column.ts"
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

const margin = "     "

/** As lines for people; an address or a path stays in one piece, whatever the width. */
export const linesOf = (
  { about, advice, found, status }: Finding,
  width: number,
  style: Style
): ReadonlyArray<string> => {
  const wrapped = (text: string) => Column.wrap(inert(text), Math.max(1, width - margin.length), "whole")
  const [first = "", ...more] = wrapped(`${about}: ${found}`)
  return [
    `${style[marks[status]](status.padEnd(4))} ${style.bold(first.slice(0, about.length))}${first.slice(about.length)}`,
    ...[...more, ...(advice === undefined ? [] : wrapped(advice))].map((line) => `${margin}${line}`)
  ]
}
