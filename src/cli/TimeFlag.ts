/** Points in time on the command line: dates, times, and how long ago. */
import * as Flag from "effect/cli/Flag"
import * as Moment from "../query/Moment.ts"

const nanosOf: Readonly<Record<string, bigint>> = {
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n
}

/** Unix nanoseconds of a date or time, or of `90s`, `15m`, `2h`, `7d` before `now`; `undefined` for another text. */
export const parse = (text: string, now: bigint): bigint | undefined => {
  const [, amount = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (unit === "") return Moment.parse(text)
  const instant = now - BigInt(amount) * nanosOf[unit]!
  return instant < 0n ? 0n : instant
}

/** A flag whose value {@link parse} reads; it stays text until the command knows what time it is. */
export const make = (name: string, alias: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withAlias(alias),
    Flag.withMetavar("<time>"),
    Flag.filter(
      (given) => parse(given, 0n) !== undefined,
      () => "a date or time such as 2026-03-01T09:12Z, or how long ago: 90s, 15m, 2h, 7d"
    ),
    Flag.withDescription(description),
    Flag.optional
  )
