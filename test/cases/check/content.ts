/** The attributes of a span that hold content. */
import { attributes } from "../../../src/semconv/registry.ts"
import type { SpanRecord } from "../trail.ts"

const keys = attributes.filter((definition) => definition.content === true).map((definition) => definition.key)

export const registeredContent = (span: SpanRecord): ReadonlyArray<readonly [string, string]> =>
  keys.flatMap((key) => {
    const value = span.attributes[key]
    return typeof value === "string" ? [[key, value] as const] : []
  })
