/** Where a page ended, as a text that the next question brings back. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CallPlace } from "../store/TraceReader.ts"

/** The cursor is no `next` of an answer to this question. */
export class WrongCursor extends Schema.TaggedError<WrongCursor>()("WrongCursor", { cursor: Schema.String }) {
  override get message(): string {
    return "the cursor is none that an earlier page gave for this order"
  }
}

const pattern = /^([a-z-]{1,20})\.([nm])(-?[0-9.e+-]{1,30})\.([0-9]{1,15})$/

/** `newest.n1772356323120000000.17`: the order, nanoseconds or milliseconds, and the number. */
export const encode = (order: string, { number, value }: CallPlace): string =>
  `${order}.${typeof value === "bigint" ? "n" : "m"}${value}.${number}`

/** The place that a cursor of this order means. */
export const decode = (order: string, cursor: string): Effect.Effect<CallPlace, WrongCursor> => {
  const [, said, unit, text = "", number] = pattern.exec(cursor) ?? []
  const wrong = Effect.fail(new WrongCursor({ cursor: cursor.slice(0, 100) }))
  if (said !== order) return wrong
  if (unit === "m") {
    const value = Number(text)
    return Number.isFinite(value) ? Effect.succeed({ value, number: Number(number) }) : wrong
  }
  return /^\d+$/.test(text) ? Effect.succeed({ value: BigInt(text), number: Number(number) }) : wrong
}
