/** Answers for an agent: texts of unknown origin made visible, and everything within bounds, with what was cut. */
import { inert } from "./InertText.ts"

/** Characters of an answer as JSON: about 10,000 tokens. */
export const sizeAtMost = 40_000

/** How long texts and lists may be. */
export interface Bounds {
  readonly text: number
  readonly list: number
}

/** From generous to strict: the first one with which an answer is small enough is taken, else the last one. */
export const bounds: ReadonlyArray<Bounds> = [
  { text: 4000, list: 200 },
  { text: 1000, list: 100 },
  { text: 250, list: 40 },
  { text: 80, list: 10 },
  { text: 40, list: 3 }
]

/** Places that are told, at most; the number of the others is told too. */
const placesAtMost = 20

/** Characters of a place, which may have the keys of an app in it. */
const placeAtMost = 120

/** An attribute whose value has lists or keys of its own: as many, and as deep, as an app likes. */
const isNested = (value: object): value is { readonly key: unknown; readonly value: object } =>
  "key" in value && "value" in value && typeof value.value === "object" && value.value !== null
  && Object.keys(value).length === 2

/** A value within bounds, and what was cut, each with its place. */
export interface Cut<A> {
  readonly value: A
  readonly cut: ReadonlyArray<string>
}

/** Characters that nobody sees, or that a terminal acts on, are written as `\u{…}`; line breaks and tabs stay. */
const visible = (text: string): string =>
  text.split(/([\n\t])/).map((part) => part === "\n" || part === "\t" ? part : inert(part)).join("")

/** The text as {@link visible} was given it. */
export const asWritten = (text: string): string =>
  text.replace(/\\u\{([0-9a-f]{1,6})\}/g, (whole, hex: string) => {
    const point = Number.parseInt(hex, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })

/** The value with visible texts, and nothing longer than the bounds; of a larger value of an attribute, the JSON's beginning. */
export const shorten = <A>(value: A, { list, text }: Bounds): Cut<A> => {
  const places: Array<string> = []
  const say = (place: string, what: string) =>
    void places.push(
      `${place.length > placeAtMost ? `${place.slice(0, placeAtMost).toWellFormed()}…` : place}: ${what}`
    )
  const walk = (value: unknown, place: string): unknown => {
    if (typeof value === "string") {
      if (value.length <= text) return visible(value)
      say(place, `the first ${text} of ${value.length.toLocaleString("en-US")} characters`)
      return `${visible(value.slice(0, text).toWellFormed())}…`
    }
    if (Array.isArray(value)) {
      if (value.length > list) {
        say(place, `the first ${list} of ${value.length.toLocaleString("en-US")} entries`)
      }
      return value.slice(0, list).map((entry, index) => walk(entry, `${place}[${index}]`))
    }
    if (typeof value !== "object" || value === null) return value
    if (isNested(value)) {
      const json = JSON.stringify(value.value)
      if (json.length > text) {
        return { key: walk(value.key, `${place}.key`), value: walk(json, `${place}.value, as JSON`) }
      }
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => {
        const name = visible(key.slice(0, text))
        return [name, walk(entry, place === "" ? name : `${place}.${name}`)]
      })
    )
  }
  const shortened = walk(value, "") as A
  const more = places.length - placesAtMost
  return {
    value: shortened,
    cut: more > 0 ? [...places.slice(0, placesAtMost), `and ${more.toLocaleString("en-US")} more places`] : places
  }
}

/** Characters of the value as JSON. */
export const sizeOf = (value: unknown): number =>
  JSON.stringify(value, (_, entry) => typeof entry === "bigint" ? "2026-03-01T09:12:03.120000000Z" : entry).length

/** The value within the first bounds that make it small enough. */
export const fit = <A>(value: A): Cut<A> => {
  let shortened = shorten(value, bounds[0]!)
  for (const next of bounds.slice(1)) {
    if (sizeOf(shortened.value) <= sizeAtMost) break
    shortened = shorten(value, next)
  }
  return shortened
}

/** The value within the first two bounds; `undefined` when it is too large: then fewer entries are to be asked for. */
export const fitPage = <A>(value: A): Cut<A> | undefined =>
  bounds.slice(0, 2).map((bounds) => shorten(value, bounds)).find(({ value }) => sizeOf(value) <= sizeAtMost)
