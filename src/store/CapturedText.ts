/**
 * The captured content of a span, as far as it is searched.
 */
import type { SpanRow } from "../otlp/SpanRow.ts"
import { textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"

const keys = [
  Attribute.genAiToolCallArguments,
  Attribute.genAiToolCallResult,
  Attribute.toolspanApprovalReason,
  Attribute.errorMessage
]

/** Texts shorter than this (in UTF-16 units) are not looked for in content. */
export const shortest = 3

/** Arguments, result, denial reason and error message; `undefined` where the app captures none of them. */
export const ofRow = ({ attributes }: SpanRow): string | undefined => {
  const found = keys.flatMap((key) => textOf(attributes, key) ?? [])
  return found.length === 0 ? undefined : found.join("\n")
}
