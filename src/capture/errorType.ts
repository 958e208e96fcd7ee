/** The kind of a failure, never its message. */
import * as Cause from "effect/Cause"

/** Names of errors can be anything an app writes: a longer one is cut. */
const maximumLength = 128

const nameOf = (value: unknown): string | undefined => {
  const text = typeof value === "string" && value !== "" ? value.slice(0, maximumLength) : undefined
  return text
}

/** The tag of the failure: an `AiError`'s reason tag, else `_tag`, else the error's name, else `_OTHER`. */
export const ofValue = (error: any): string => {
  try {
    if ((typeof error === "object" || typeof error === "function") && error !== null) {
      if (error._tag === "AiError") {
        const reason = nameOf(error.reason?._tag)
        if (reason !== undefined) return reason
      }
      return nameOf(error._tag) ?? nameOf(error.name) ?? "_OTHER"
    }
  } catch {
    // A getter of the app's own error: its kind cannot be read.
  }
  return "_OTHER"
}

/** The same of a cause: its first failure, else its first defect; `undefined` when it only interrupts. */
export const ofCause = (cause: Cause.Cause<unknown>): string | undefined => {
  const value = valueOf(cause)
  return value === undefined ? undefined : ofValue(value.error)
}

/** The first failure of a cause, else its first defect. */
export const valueOf = (cause: Cause.Cause<unknown>): { readonly error: unknown } | undefined => {
  let defect: { readonly error: unknown } | undefined
  for (const reason of cause.reasons) {
    if (Cause.isFailReason(reason)) return { error: reason.error }
    if (defect === undefined && Cause.isDieReason(reason)) defect = { error: reason.defect }
  }
  return defect
}
