/** Times and durations as people say them. Instants are ISO 8601 texts with nine digits after the second. */

/** Milliseconds since 1970, with their fraction. */
export const millisOf = (instant: string): number => {
  const match = /^(.+T\d\d:\d\d:\d\d)\.(\d{9})Z$/.exec(instant)
  if (match === null) return Number.NaN
  const date = match[1]!
  // A year of more than four digits is written with a sign where dates are read.
  const year = date.indexOf("-")
  const base = Date.parse(`${year > 4 ? `+${date.slice(0, year).padStart(6, "0")}${date.slice(year)}` : date}Z`)
  return base + Number(match[2]) / 1e6
}

const round = (value: number, digits: number) => String(Number(value.toFixed(digits)))

const two = (value: number, unit: string, rest: number, restUnit: string) =>
  rest === 0 ? `${value} ${unit}` : `${value} ${unit} ${rest} ${restUnit}`

/** `850 µs`, `12 ms`, `1.25 s`, `3 min 5 s`, `2 h 10 min`, `4 d 1 h`. */
export const duration = (millis: number): string => {
  if (!Number.isFinite(millis)) return "?"
  if (millis < 0) return `−${duration(-millis)}`
  if (millis < 1) return millis === 0 ? "0 ms" : `${Math.max(1, Math.round(millis * 1000))} µs`
  if (millis < 999.5) return `${millis < 9.95 ? round(millis, 1) : Math.round(millis)} ms`
  if (millis < 59_950) return `${round(millis / 1000, millis < 9995 ? 2 : 1)} s`
  const whole = Math.round(millis / 1000)
  if (whole < 3600) return two(Math.floor(whole / 60), "min", whole % 60, "s")
  const minutes = Math.round(whole / 60)
  if (minutes < 1440) return two(Math.floor(minutes / 60), "h", minutes % 60, "min")
  const hours = Math.round(minutes / 60)
  return two(Math.floor(hours / 24), "d", hours % 24, "h")
}

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, m: 60_000, h: 3_600_000 }

/** `500`, `500 ms`, `2.5s`, `3 min` in milliseconds; `undefined` for another text. */
export const millisIn = (text: string): number | undefined => {
  const [, amount, unit = "ms"] = /^\s*(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|min|m|h)?\s*$/.exec(text) ?? []
  return amount === undefined ? undefined : Number(amount) * unitMillis[unit]!
}

/** A moment as its distance from another one: `+42.3 s`. */
export const offset = (millis: number): string => {
  if (!Number.isFinite(millis)) return "?"
  if (Math.abs(millis) < 0.0005) return "0"
  return `${millis < 0 ? "−" : "+"}${duration(Math.abs(millis))}`
}

const padded = (value: number, digits = 2) => String(value).padStart(digits, "0")

/** `09:12:03.120` on the reader's clock. */
export const clock = (instant: string): string => {
  const date = new Date(millisOf(instant))
  if (Number.isNaN(date.getTime())) return "?"
  return `${padded(date.getHours())}:${padded(date.getMinutes())}:${padded(date.getSeconds())}.${
    padded(date.getMilliseconds(), 3)
  }`
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" })
const fullDayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" })

/** A moment as a field for date and time has it, on the reader's clock; `""` for what is no moment. */
export const fieldOf = (instant: string | undefined): string => {
  const date = new Date(instant ?? "")
  if (Number.isNaN(date.getTime())) return ""
  const [year, month, of] = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const seconds = date.getSeconds() === 0 ? "" : `:${padded(date.getSeconds())}`
  return `${padded(year, 4)}-${padded(month)}-${padded(of)}T${padded(date.getHours())}:${
    padded(date.getMinutes())
  }${seconds}`
}

/** The moment of such a field, as the API takes it; `""` for an empty field. */
export const instantOf = (field: string): string => {
  const date = new Date(field)
  return Number.isNaN(date.getTime()) ? "" : date.toISOString()
}

/** `1 Mar`, with its year when told so. */
export const day = (instant: string, withYear = false): string => {
  const millis = millisOf(instant)
  return Number.isNaN(millis) ? "?" : (withYear ? fullDayFormat : dayFormat).format(millis)
}

/** `09:12:03.120` of today, `1 Mar 09:12:03` of another day. */
export const moment = (instant: string): string =>
  day(instant, true) === fullDayFormat.format(new Date())
    ? clock(instant)
    : `${day(instant)} ${clock(instant).slice(0, 8)}`

/** Size of a text that went over the wire. */
export const bytes = (amount: number): string => {
  if (amount < 1000) return `${amount} B`
  return amount < 1e6 ? `${round(amount / 1000, 1)} kB` : `${round(amount / 1e6, 1)} MB`
}

/** `1 call`, `2 calls`. */
export const count = (amount: number, noun: string): string =>
  `${amount.toLocaleString("en-US")} ${noun}${amount === 1 ? "" : "s"}`
