/** Does a value hold what a case says of it? */
import type { ExpectedText, ExpectedValue } from "../case-file.ts"
import type { Value } from "../trail.ts"

const same = (actual: unknown, expected: unknown): boolean =>
  Array.isArray(expected)
    ? Array.isArray(actual) && actual.length === expected.length && expected.every((item, i) => same(actual[i], item))
    : actual === expected

export const holds = (actual: Value | undefined, expected: ExpectedValue): boolean => {
  if (typeof expected === "object" && "absent" in expected) return actual === undefined
  if (typeof expected === "object" && "matches" in expected) {
    return actual !== undefined && new RegExp(expected.matches).test(String(actual))
  }
  return same(actual, expected)
}

/** Of an event: `null` is no such attribute. */
export const textHolds = (actual: unknown, expected: ExpectedText | true | undefined): boolean => {
  if (expected === undefined) return true
  if (expected === null) return actual === undefined
  if (typeof expected === "object") return typeof actual === "string" && new RegExp(expected.matches).test(actual)
  return actual === expected
}

/** A value in a message, not longer than a line. */
export const show = (value: unknown): string => {
  if (value === undefined) return "absent"
  const text = JSON.stringify(value) ?? typeof value
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
