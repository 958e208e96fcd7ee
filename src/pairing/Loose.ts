// Histories come from files, databases and other people's adapters: every read of one goes through these.

/** The value as a record, or `undefined` when it is none. */
export const record = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : undefined

/** An id as text: numbers become their digits, anything but text and numbers is no id. */
export const id = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" || typeof value === "bigint" ? String(value) : undefined

/** The value as text, or "" when it is none. */
export const text = (value: unknown): string => typeof value === "string" ? value : ""

/** The entries of a list, or none. */
export const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : empty

const empty: ReadonlyArray<unknown> = []
