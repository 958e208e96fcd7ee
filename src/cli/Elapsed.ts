/** Times and durations as people say them. */

const seconds = (millis: number): string => {
  if (millis < 1) return millis === 0 ? "0 ms" : `${Math.max(1, Math.round(millis * 1000))} µs`
  if (millis < 999.5) return `${millis < 9.95 ? round(millis, 1) : Math.round(millis)} ms`
  return `${round(millis / 1000, millis < 9_995 ? 2 : 1)} s`
}

const round = (value: number, digits: number) => String(Number(value.toFixed(digits)))

const two = (value: number, unit: string, rest: number, restUnit: string) =>
  rest === 0 ? `${value} ${unit}` : `${value} ${unit} ${rest} ${restUnit}`

/** A duration in milliseconds: `850 µs`, `12 ms`, `1.25 s`, `3 min 5 s`, `2 h 10 min`, `4 d 1 h`. */
export const duration = (millis: number): string => {
  if (!Number.isFinite(millis)) return "?"
  if (millis < 0) return `-${duration(-millis)}`
  if (millis < 59_950) return seconds(millis)
  const whole = Math.round(millis / 1000)
  if (whole < 3600) return two(Math.floor(whole / 60), "min", whole % 60, "s")
  const minutes = Math.round(whole / 60)
  if (minutes < 1440) return two(Math.floor(minutes / 60), "h", minutes % 60, "min")
  const hours = Math.round(minutes / 60)
  return two(Math.floor(hours / 24), "d", hours % 24, "h")
}

const padded = (value: number, digits: number) => String(value).padStart(digits, "0")

const clock = (millis: number): string => {
  if (millis < 59_999.5) return `${(millis / 1000).toFixed(3)} s`
  const whole = Math.floor(Math.round(millis) / 1000)
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}:${padded(whole % 60, 2)}.${padded(Math.round(millis) % 1000, 3)}`
  if (minutes < 6000) return `${Math.floor(minutes / 60)}:${padded(minutes % 60, 2)}:${padded(whole % 60, 2)}`
  return duration(millis)
}

/** A moment as milliseconds from another one, exact enough to tell neighbours apart: `+5 ms`, `+42.305 s`, `-3:05.120`. */
export const offset = (millis: number): string => {
  if (!Number.isFinite(millis)) return "?"
  if (Math.abs(millis) < 0.0005) return "0"
  const size = Math.abs(millis)
  return `${millis < 0 ? "-" : "+"}${size < 999.5 ? duration(size) : clock(size)}`
}

const iso = (instant: bigint) => {
  const millis = Number(instant / 1_000_000n)
  return Number.isFinite(millis) && millis <= 8.64e15 ? new Date(millis).toISOString() : "?"
}

/** `2026-03-01 09:12:03.120 UTC` for unix nanoseconds. */
export const moment = (instant: bigint): string => iso(instant).replace("T", " ").replace("Z", " UTC")

/** `03-01 09:12:03` for unix nanoseconds, in UTC. */
export const shortMoment = (instant: bigint): string => moment(instant).slice(5, 19)
