/** The arguments of a call: some wires write them as JSON text, and a loop may tell the text or the value. */
import * as Fingerprint from "../lifecycle/Fingerprint.ts"

/** A longer text is left as it is: no fingerprint is made of one so large. */
const maximumText = 262_144

/** The value that a JSON text of an object or a list stands for; anything else as it is. */
export const valueOf = (told: unknown): unknown => {
  if (typeof told !== "string" || told.length > maximumText || !/^\s*[[{]/.test(told)) return told
  try {
    return JSON.parse(told)
  } catch {
    return told
  }
}

/** The value where its keys can be looked at; those of a buffer are its bytes, and nobody's arguments. */
export const readable = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return undefined
  try {
    Object.keys(value)
    return value
  } catch {
    return undefined
  }
}

const none = {}

/** A fingerprint that is the same for a value and for its JSON text; an empty text is that of a tool without parameters. */
export const fingerprint = (told: unknown): string | undefined =>
  Fingerprint.make(typeof told === "string" && told.trim() === "" ? none : valueOf(told))

const untold = Fingerprint.make(undefined)

/** Whether a call runs with other arguments than were decided, as far as both were told. */
export const changed = (decided: string | undefined, run: unknown): boolean =>
  run !== undefined && decided !== undefined && decided !== untold && fingerprint(run) !== decided
