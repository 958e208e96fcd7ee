/** Points in time as people and scripts write them. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { format } from "./Instant.ts"

const pattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?$/

/** Unix nanoseconds of an ISO 8601 date or time, in UTC unless it says otherwise; `undefined` for another text. */
export const parse = (text: string): bigint | undefined => {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, date, minutes = "00:00", seconds = ":00", fraction = "", zone = "Z"] = match
  const millis = Date.parse(`${date}T${minutes}${seconds}${zone}`)
  // `Date` takes 30 February for 2 March.
  const day = Date.parse(`${date}T00:00Z`)
  if (Number.isNaN(millis) || Number.isNaN(day) || !new Date(day).toISOString().startsWith(date!)) return undefined
  const nanos = BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, "0"))
  return nanos < 0n ? undefined : nanos
}

/** Unix nanoseconds as a `bigint`; as text an ISO 8601 date (`2026-03-01`) or time (`2026-03-01T09:12:03.120Z`). */
export const Moment = Schema.String.check(
  Schema.isPattern(pattern, { expected: "a date such as 2026-03-01 or a time such as 2026-03-01T09:12:03Z" }),
  Schema.makeFilter((text: string) => parse(text) !== undefined || "a date that the calendar has, 1970 or later")
).pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({ decode: (text) => parse(text) ?? 0n, encode: format })
  )
)
