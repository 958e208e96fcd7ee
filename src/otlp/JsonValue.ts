/**
 * Single values of OTLP/JSON, by the proto3 JSON mapping: `null` is absent, 64-bit numbers may be text.
 */
import { Fault } from "./Fault.ts"

/** A JSON object. */
export type JsonObject = { readonly [key: string]: unknown }

const kindOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
    ? "a list"
    : typeof value === "object"
    ? "an object"
    : `a ${typeof value}`

const wrong = (name: string, wanted: string, value: unknown): Fault =>
  new Fault(`${name} must be ${wanted}, is ${kindOf(value)}`)

const none: JsonObject = {}

export const object = (value: unknown, name: string): JsonObject => {
  if (value === undefined || value === null) return none
  if (typeof value !== "object" || Array.isArray(value)) throw wrong(name, "an object", value)
  return value as JsonObject
}

export const list = (value: unknown, name: string): ReadonlyArray<unknown> => {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw wrong(name, "a list", value)
  return value
}

/** Text; a lone surrogate becomes U+FFFD, as it would on its way through UTF-8. */
export const text = (value: unknown, name: string): string => {
  if (value === undefined || value === null) return ""
  if (typeof value !== "string") throw wrong(name, "text", value)
  return (value as string & { readonly toWellFormed: () => string }).toWellFormed()
}

/** Bytes written as hex; `undefined` when they are not hex. */
export const hex = (value: unknown, name: string): string | undefined => {
  const id = text(value, name)
  return id.length % 2 === 0 && /^[0-9a-fA-F]{0,128}$/.test(id) ? id.toLowerCase() : undefined
}

/** An integer within these bounds, from a number or its decimal digits. */
const integer = (value: unknown, name: string, least: bigint, most: bigint): bigint => {
  if (value === undefined || value === null) return 0n
  let found: bigint
  if (typeof value === "bigint") found = value
  else if (typeof value === "number" && Number.isInteger(value)) found = BigInt(value)
  else if (typeof value === "string" && /^-?\d{1,20}$/.test(value)) found = BigInt(value)
  else {throw typeof value === "string" || typeof value === "number"
      ? new Fault(`${name} is no integer`)
      : wrong(name, "an integer", value)}
  if (found < least || found > most) throw new Fault(`${name} is out of range`)
  return found
}

export const uint32 = (value: unknown, name: string): number => Number(integer(value, name, 0n, 0xffffffffn))

export const uint64 = (value: unknown, name: string): bigint => integer(value, name, 0n, 0xffffffffffffffffn)

export const int64 = (value: unknown, name: string): bigint =>
  integer(value, name, -0x8000000000000000n, 0x7fffffffffffffffn)

/** An enum, by number or by name. */
export const enumeration = (value: unknown, name: string, names: ReadonlyArray<string>): number => {
  if (typeof value === "string") {
    const index = names.indexOf(value)
    if (index >= 0) return index
  }
  return Number(integer(value, name, -0x80000000n, 0x7fffffffn))
}

export const boolean = (value: unknown, name: string): boolean => {
  if (typeof value !== "boolean") throw wrong(name, "true or false", value)
  return value
}

export const double = (value: unknown, name: string): number => {
  if (typeof value === "number") return value
  if (typeof value === "bigint") return Number(value)
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value)
  if (typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value))) return Number(value)
  throw wrong(name, "a number", value)
}

/** Bytes from base64, standard or URL-safe. */
export const bytes = (value: unknown, name: string): Uint8Array => {
  const encoded = text(value, name)
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(encoded)) throw new Fault(`${name} is not base64`)
  return new Uint8Array(Buffer.from(encoded, "base64"))
}
