/** The kind of a failure, never its message. */

const maximumLength = 128

/** The tag of a failure, else its name, else `_OTHER`; `undefined` when there is none: callbacks say that with `null`. */
export const errorKind = (error: unknown): string | undefined => {
  if (error === undefined || error === null) return undefined
  try {
    if (typeof error === "object" && error !== null) {
      for (const key of ["_tag", "name"]) {
        const value = (error as Record<string, unknown>)[key]
        if (typeof value === "string" && value !== "") return value.slice(0, maximumLength)
      }
    }
  } catch {
    // A getter of the app's own error: its kind cannot be read.
  }
  return "_OTHER"
}
