/** The mark of a result that stands in for one that the history lost. */
export const type = "result-missing"

/** What the model reads of it. */
export const text = "The result of this call is not in the conversation. It is not known whether the call ran."

/** The value of such a result in an Effect prompt; the wires carry it as JSON text. */
export const value: { readonly type: string; readonly message: string } = { type, message: text }

/** Tells such a value. */
export const is = (result: unknown): boolean =>
  typeof result === "object" && result !== null && (result as { readonly type?: unknown }).type === type
