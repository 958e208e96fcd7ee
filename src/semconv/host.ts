/** Names that the host writes and toolspan only reads, moves or drops; toolspan writes none of them. */

/** What `Toolkit.handle` writes on the current span: the tool's name, then its raw arguments. */
export const toolAttributes: ReadonlyArray<string> = ["tool", "parameters"]

/** Where older provider packages tell the provider's name. */
export const genAiSystem = "gen_ai.system"

/** Token counts: they belong on the span of the request alone. */
export const usagePrefix = "gen_ai.usage."

/** The spans of Effect's `Chat`. */
export const chatPrefix = "Chat."
