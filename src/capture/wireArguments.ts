/** The arguments of a call, read from the text that a provider sends. */
import * as Arguments from "../pairing/Arguments.ts"
import type { WireCall } from "./Wire.ts"

/** Longer arguments are counted but not kept: 1 MiB of text a call. */
export const maximumLength = 1 << 20

/** What a text of arguments comes to. */
export type Parsed = Pick<WireCall, "arguments" | "fault" | "text">

const suspect = /"(?:__proto__|constructor)"\s*:/

/** The host's parser refuses objects that would reach a prototype. */
const isForbidden = (value: unknown): boolean => {
  const open: Array<unknown> = [value]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) continue
    if (Object.hasOwn(node, "__proto__")) return true
    const { constructor } = node
    if (
      Object.hasOwn(node, "constructor") && typeof constructor === "object" && constructor !== null &&
      Object.hasOwn(constructor, "prototype")
    ) return true
    for (const inner of Object.values(node)) if (typeof inner === "object") open.push(inner)
  }
  return false
}

/**
 * Reads a text as the provider packages do. `whenEmpty` is what they make of an empty one: no arguments, or a fault.
 */
export const parse = (text: string, whenEmpty: "none" | "fault"): Parsed => {
  if (text === "" && whenEmpty === "none") return { arguments: {}, fault: undefined, text: undefined }
  if (text.length > maximumLength) return { arguments: undefined, fault: undefined, text: undefined }
  const fault = Arguments.faultOf(text)
  if (fault !== undefined) return { arguments: undefined, fault, text }
  if (text.trim() === "") return { arguments: undefined, fault: "malformed", text }
  const value: unknown = JSON.parse(text)
  return suspect.test(text) && isForbidden(value)
    ? { arguments: undefined, fault: "malformed", text }
    : { arguments: value, fault: undefined, text: undefined }
}

/** Takes arguments that the wire gives as a value. */
export const given = (value: unknown): Parsed => ({ arguments: value, fault: undefined, text: undefined })
