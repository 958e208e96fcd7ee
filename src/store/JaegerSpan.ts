/**
 * Takes back what Jaeger does to spans: an instant is made a nanosecond long, and a warning is put among its attributes.
 */
import type { Attribute, SpanRow } from "../otlp/SpanRow.ts"

const warnings = "@jaeger@warnings"

const lengthened = /^Negative duration detected/

const isLengthened = (warning: unknown): boolean => typeof warning === "string" && lengthened.test(warning)

/** Without the warning; `undefined` when it was the only one. */
const without = ({ key, value }: Attribute): Attribute | undefined => {
  const rest = Array.isArray(value) ? value.filter((one) => !isLengthened(one)) : value
  return Array.isArray(rest) && rest.length === 0 ? undefined : { key, value: rest }
}

/** The span as it was sent; one that ended before it began ends when it began. */
export const restored = (row: SpanRow): SpanRow => {
  const found = row.attributes.find(({ key, value }) =>
    key === warnings && Array.isArray(value) && value.some(isLengthened)
  )
  if (found === undefined || row.end !== row.start + 1n) return row
  return {
    ...row,
    end: row.start,
    attributes: row.attributes.flatMap((attribute) => attribute === found ? without(found) ?? [] : [attribute])
  }
}
