/** Attribute values as JSON has them. */
import type { SpanRow } from "./SpanReading.ts"
import type { SpanAttribute } from "./WholeTrace.ts"

type Value = SpanRow["attributes"][number]["value"]
type Json = SpanAttribute["value"]

/** Integers that a double does not hold are their digits; numbers that JSON does not have are their names. */
const json = (value: Value): Json => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "bigint") {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : String(value)
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") }
  if ("entries" in value && !Array.isArray(value)) {
    const { entries } = value as { readonly entries: SpanRow["attributes"] }
    // A key of `__proto__` must be a key like any other.
    return Object.fromEntries(entries.map((entry) => [entry.key, json(entry.value)]))
  }
  return (value as ReadonlyArray<Value>).map(json)
}

/** The attributes in the order in which they were sent. */
export const attributes = (list: SpanRow["attributes"]): ReadonlyArray<SpanAttribute> =>
  list.map(({ key, value }) => ({ key, value: json(value) }))
