/**
 * JSON text to a value that keeps 64-bit numbers, without letting a small body become a large heap.
 */
import { randomInt } from "node:crypto"
import { Excess, Fault } from "./Fault.ts"
import { maximumExactJsonValues, maximumJsonDepth, maximumJsonNames, maximumJsonValues } from "./limit.ts"

/** Up to here no body can take more than about 100 MB of memory, so it is not weighed first. */
const smallBody = 1024 * 1024

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a

/** Secret, so that nobody can send names that count as one. */
const multiplier = randomInt(2 ** 32) | 1

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Refuses a body in which there is too much for `JSON.parse` to be safe; answers how many values it holds. */
const weigh = (body: Uint8Array): number => {
  const names = new Set<number>()
  let depth = 0
  let values = 0
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case quote: {
        let hash = 0
        for (at++; at < body.length && body[at] !== quote; at++) {
          if (body[at] === backslash) at++
          hash = Math.imul(hash ^ body[at]!, multiplier)
        }
        let after = at + 1
        while (isSpace(body[after])) after++
        if (body[after] === colon && names.add(hash).size > maximumJsonNames) {
          throw new Excess(maximumJsonNames, "names of fields")
        }
        break
      }
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maximumJsonDepth) throw new Fault(`brackets are nested deeper than ${maximumJsonDepth}`)
        if (++values > maximumJsonValues) throw new Excess(maximumJsonValues, "values")
        break
      case 0x2c: // ,
        if (++values > maximumJsonValues) throw new Excess(maximumJsonValues, "values")
        break
      case 0x5d: // ]
      case 0x7d: // }
        depth--
        break
    }
  }
  return values
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
  const values = body.length > smallBody ? weigh(body) : 0
  const text = new TextDecoder().decode(body)
  const isExact = longNumber.test(text)
  if (isExact && values > maximumExactJsonValues) throw new Excess(maximumExactJsonValues, "values with long numbers")
  try {
    return isExact ? JSON.parse(text, exact) : JSON.parse(text)
  } catch (error) {
    throw new Fault(reasonOf(error))
  }
}
