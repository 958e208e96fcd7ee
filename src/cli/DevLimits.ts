/** How much `toolspan dev` keeps, as flags and variables say it. */
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Retention from "../store/Retention.ts"

const bytesOf: Readonly<Record<string, number>> = {
  "": 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4
}

const millisOf: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Less would not hold one request. */
const bytesAtLeast = 1024 ** 2

/** The bytes of `500MB` or `2GiB`; `null` for `none`, which is no limit; `undefined` for another text. */
export const parseSize = (text: string): number | null | undefined => {
  if (/^none$/i.test(text)) return null
  const [, amount, unit = ""] = /^(\d{1,12}(?:\.\d{1,6})?) ?([kmgt]i?b)?$/i.exec(text) ?? []
  const bytes = Math.floor(Number(amount) * bytesOf[unit.toLowerCase()]!)
  return bytes >= bytesAtLeast ? bytes : undefined
}

/** The age of `7d`, `12h` or `30m`; `null` for `none`, which is no limit; `undefined` for another text. */
export const parseAge = (text: string): Duration.Duration | null | undefined => {
  if (/^none$/i.test(text)) return null
  const [, amount, unit] = /^(\d{1,6}(?:\.\d{1,6})?) ?([mhd])$/i.exec(text) ?? []
  if (unit === undefined) return undefined
  const millis = Number(amount) * millisOf[unit.toLowerCase()]!
  return millis >= 1 ? Duration.millis(millis) : undefined
}

const limitFlag = <A>(
  name: string,
  variable: string,
  parse: (text: string) => A | undefined,
  usual: A,
  expected: string,
  description: string
) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<limit>"),
    Flag.withDescription(description),
    Flag.withFallbackConfig(Config.String(variable)),
    Flag.filterMap((text) => Option.fromUndefinedOr(parse(text)), () => expected),
    Flag.withDefault(usual)
  )

/** The flags, and the variables that stand in for them. */
export const flags = {
  maxSize: limitFlag<number | null>(
    "max-size",
    "TOOLSPAN_MAX_SIZE",
    parseSize,
    Retention.defaults.maxBytes,
    "a size of 1MiB or more such as 500MB or 2GiB, or none",
    "How much is kept; what came first makes room. Default: $TOOLSPAN_MAX_SIZE, else 1GiB"
  ),
  maxAge: limitFlag<Duration.Duration | null>(
    "max-age",
    "TOOLSPAN_MAX_AGE",
    parseAge,
    Retention.defaults.maxAge,
    "an age such as 30m, 12h or 7d, or none",
    "How long spans are kept. Default: $TOOLSPAN_MAX_AGE, else 7d"
  )
}

/** The limits, as the store takes them. */
export const limitsOf = (
  { maxAge, maxSize }: { readonly maxSize: number | null; readonly maxAge: Duration.Duration | null }
): Retention.Limits => ({ maxBytes: maxSize ?? undefined, maxAge: maxAge ?? undefined })

const sizeText = (bytes: number): string => {
  const [unit, size] = bytes < 1024 ** 3 ? ["MiB", bytes / 1024 ** 2] as const : ["GiB", bytes / 1024 ** 3] as const
  return `${Number(size.toFixed(1))} ${unit}`
}

const ageText = (age: Duration.Duration): string => {
  const hours = Duration.toHours(age)
  if (hours < 1) return `${Number(Duration.toMinutes(age).toFixed(1))} minutes`
  return hours < 48 ? `${Number(hours.toFixed(1))} hours` : `${Number((hours / 24).toFixed(1))} days`
}

/** How much is kept, in words. */
export const said = ({ maxAge, maxBytes }: Retention.Limits): string => {
  const limits = [
    ...(maxBytes === undefined ? [] : [`up to ${sizeText(maxBytes)}`]),
    ...(maxAge === undefined ? [] : [`for ${ageText(maxAge)}`])
  ]
  return limits.length === 0 ? "without a limit." : `${limits.join(", ")}; then what came first makes room.`
}

const variable = <A>(name: string, parse: (text: string) => A | undefined, usual: A): Effect.Effect<A> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    (text) => Option.getOrElse(Option.flatMap(text, (text) => Option.fromUndefinedOr(parse(text))), () => usual)
  )

/** The limits that the variables mean; what cannot be read, with which `toolspan dev` does not start, counts as unset. */
export const ofEnvironment: Effect.Effect<Retention.Limits> = Effect.map(
  Effect.all({
    maxSize: variable<number | null>("TOOLSPAN_MAX_SIZE", parseSize, Retention.defaults.maxBytes),
    maxAge: variable<Duration.Duration | null>("TOOLSPAN_MAX_AGE", parseAge, Retention.defaults.maxAge)
  }),
  limitsOf
)
