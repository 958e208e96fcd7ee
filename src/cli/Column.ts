/** Text in a given number of terminal columns. */
import { displayWidth } from "effect/cli/CliOutput"

const segmenter = new Intl.Segmenter()

/** How many columns the text takes. */
export const widthOf = (text: string): number => displayWidth(text)

/** The text, cut with `…` where it is wider than `width` columns. */
export const fit = (text: string, width: number): string => {
  // One column needs at most a few code units: what lies behind can not be shown, so that it is not measured either.
  const start = text.length > width * 16 + 64 ? text.slice(0, width * 16 + 64) : text
  if (start === text && widthOf(text) <= width) return text
  let shown = ""
  let used = 0
  for (const { segment } of segmenter.segment(start)) {
    const next = used + widthOf(segment)
    if (next > width - 1) break
    shown += segment
    used = next
  }
  return width < 1 ? "" : `${shown}…`
}

/** The text in exactly `width` columns, cut or filled up on the right. */
export const left = (text: string, width: number): string => {
  const shown = fit(text, width)
  return shown + " ".repeat(Math.max(0, width - widthOf(shown)))
}

/** The text in exactly `width` columns, cut or filled up on the left. */
export const right = (text: string, width: number): string => {
  const shown = fit(text, width)
  return " ".repeat(Math.max(0, width - widthOf(shown))) + shown
}

/** The text in lines of at most `width` columns, broken between words; a longer word is cut, or kept `whole`. */
export const wrap = (text: string, width: number, longWords: "cut" | "whole" = "cut"): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const fitted = (word: string) => longWords === "whole" ? word : fit(word, width)
  let line = ""
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line)
      line = fitted(word)
    } else line = line === "" ? fitted(word) : longer
  }
  return [...lines, line]
}
