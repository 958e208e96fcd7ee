/** Points in time, exact to the nanosecond, that read as dates in JSON. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const pattern = /^(\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z$/

/** The last second that a JavaScript date can hold: what a span claims beyond it is shown as this second. */
const lastSecond = 8_640_000_000_000n

/** `2026-03-01T09:12:03.120000000Z` for unix nanoseconds: text order is time order. */
export const format = (instant: bigint): string => {
  const seconds = instant / 1_000_000_000n
  const shown = seconds > lastSecond ? lastSecond : seconds
  const date = new Date(Number(shown) * 1000).toISOString().replace(/^\+/, "").slice(0, -5)
  return `${date}.${String(instant % 1_000_000_000n).padStart(9, "0")}Z`
}

const parse = (text: string): bigint => {
  const match = pattern.exec(text)
  if (match === null) return 0n
  const date = match[1]!
  const year = date.length > 19 ? `+${date.padStart(21, "0")}` : date
  return BigInt(Date.parse(`${year}Z`)) * 1_000_000n + BigInt(match[2]!)
}

/** Unix nanoseconds as a `bigint`; in JSON an ISO 8601 text in UTC with nine digits after the second. */
export const Instant = Schema.String.check(Schema.isPattern(pattern)).pipe(
  Schema.decodeTo(Schema.BigInt, SchemaTransformation.transform({ decode: parse, encode: format }))
)
/** Unix nanoseconds. */
export type Instant = typeof Instant.Type

/** Milliseconds between two instants, with their fraction; negative when `to` is before `from`. */
export const millisBetween = (from: bigint, to: bigint): number => Number(to - from) / 1e6
