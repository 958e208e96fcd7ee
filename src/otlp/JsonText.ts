/**
 * JSON text to a value that keeps 64-bit numbers, without letting a small body become a large heap.
 */
import { Excess, Fault } from "./Fault.ts"
import { maximumJsonDepth, maximumValues } from "./limit.ts"

/** Up to here no body can take more than about 60 MB of memory, so it is not counted first. */
const smallBody = 1024 * 1024

const quote = 0x22
const backslash = 0x5c

/** Refuses a body whose brackets are too many or too deep for `JSON.parse` to be safe. */
const weigh = (body: Uint8Array): void => {
  let depth = 0
  let brackets = 0
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case quote:
        for (at++; at < body.length && body[at] !== quote; at++) if (body[at] === backslash) at++
        break
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maximumJsonDepth) throw new Fault(`brackets are nested deeper than ${maximumJsonDepth}`)
        if (++brackets > 3 * maximumValues) throw new Excess()
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
}

/** A number of 16 digits or more, which a double may not hold; matches inside of texts too, which only costs time. */
const longNumber = /[:,[]\s*-?\d{16}/

/** No field holds more digits; a `bigint` of millions of them takes seconds to make. */
const exactInteger = /^-?\d{1,40}$/

const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && !Number.isSafeInteger(value) && exactInteger.test(context?.source ?? "")
    ? BigInt(context!.source!)
    : value

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error)
  return message.length > 200 ? `${message.slice(0, 200)}…` : message
}

/** Parses UTF-8 JSON; integers that a double cannot hold become `bigint`. Throws `Fault` or `Excess`. */
export const parse = (body: Uint8Array): unknown => {
  if (body.length > smallBody) weigh(body)
  const text = new TextDecoder().decode(body)
  try {
    return longNumber.test(text) ? JSON.parse(text, exact) : JSON.parse(text)
  } catch (error) {
    throw new Fault(reasonOf(error))
  }
}
