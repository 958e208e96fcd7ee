/** Keeps answers to a size that this process and a browser can hold: JSON of half a gigabyte is no text any more. */
import * as Effect from "effect/Effect"
import { AnswerTooLarge } from "../query/api.ts"

/** Characters of one answer, at most: texts, and some for each value around them. */
const charactersAtMost = 64 * 1024 * 1024

/** What a number, a key or a bracket takes, about. */
const charactersOfValue = 16

/** Whether a value is over the limit; stops counting there. */
const isOver = (value: unknown, limit: number): boolean => {
  let left = limit
  const waiting: Array<unknown> = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    left -= typeof next === "string" ? next.length + 2 : charactersOfValue
    if (left < 0) return true
    if (typeof next === "object" && next !== null) { for (const inside of Object.values(next)) waiting.push(inside) }
  }
  return false
}

/** The answer, unless it is too large to be one. */
export const bounded = <A>(answer: A): Effect.Effect<A, AnswerTooLarge> =>
  isOver(answer, charactersAtMost)
    ? Effect.fail(
      new AnswerTooLarge({
        reason: "the answer is over 64 MiB: ask for less, or read the file with toolspan export"
      })
    )
    : Effect.succeed(answer)
