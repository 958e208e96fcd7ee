/** What is wrong with a text of arguments: `truncated` when it ends too soon, `malformed` otherwise. */
export type ArgumentFault = "malformed" | "truncated"

const quote = 34
const backslash = 92

// Follows strings and brackets only: enough to tell "the text stops inside something" from "the text is nonsense".
const stopsInside = (text: string): boolean => {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === backslash) index++
      else if (code === quote) inString = false
    } else if (code === quote) {
      inString = true
    } else if (code === 123 || code === 91) {
      depth++
    } else if (code === 125 || code === 93) {
      depth--
      if (depth < 0) return false
    }
  }
  return inString || depth > 0
}

/**
 * What is wrong with the text of a call's arguments, or `undefined` when it is JSON.
 *
 * An empty text is no fault here: providers write it for a tool without parameters. Hosts that refuse it say so
 * themselves.
 */
export const faultOf = (text: string): ArgumentFault | undefined => {
  if (text.trim() === "") return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch {
    return stopsInside(text) ? "truncated" : "malformed"
  }
}

const keysOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : []

/**
 * How many top-level arguments of a call do not reach its handler: those on the wire that the decided call lost, and
 * those that the tool's schema does not declare. Looks at keys only, never at a value.
 */
export const droppedCount = (
  call: { readonly wireParams?: unknown; readonly params?: unknown },
  declared: ReadonlyArray<string> | undefined
): number => {
  const decided = keysOf(call.params)
  let dropped = 0
  if (call.wireParams !== undefined && call.params !== undefined) {
    for (const key of keysOf(call.wireParams)) if (!decided.includes(key)) dropped++
  }
  if (declared !== undefined) {
    for (const key of decided) if (!declared.includes(key)) dropped++
  }
  return dropped
}
