/**
 * Whether a span may be taken: the one rule for both encodings.
 */
import type { SpanRow } from "./SpanRow.ts"

const zeroTrace = "0".repeat(32)
const zeroSpan = "0".repeat(16)

/** Why a span cannot be stored; `undefined` when it can. */
export const refusal = (row: SpanRow): string | undefined => {
  if (row.traceId.length !== 32) return `trace id has ${row.traceId.length / 2} bytes, not 16`
  if (row.traceId === zeroTrace) return "trace id is all zero"
  if (row.spanId.length !== 16) return `span id has ${row.spanId.length / 2} bytes, not 8`
  if (row.spanId === zeroSpan) return "span id is all zero"
  if (row.parentSpanId.length !== 16 && row.parentSpanId.length !== 0) {
    return `parent span id has ${row.parentSpanId.length / 2} bytes, not 8`
  }
  return undefined
}

/** A parent id that is all zero means "no parent". */
export const parentOf = (id: string): string => id === zeroSpan ? "" : id
