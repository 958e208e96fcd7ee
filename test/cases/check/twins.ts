/** Each link has its twin attribute, and each twin its link. */
import * as Attribute from "../../../src/semconv/attribute.ts"
import * as Link from "../../../src/semconv/link.ts"
import { kindOf, type SpanRecord } from "../trail.ts"
import { show } from "./value.ts"

export const checkTwins = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> =>
  spans.filter((span) => kindOf(span) !== "other").flatMap((span) =>
    Link.types.flatMap((type) => {
      const links = span.links.filter((link) => link.attributes[Attribute.toolspanLinkType] === type)
        .map((link) => `${link.traceId}-${link.spanId}`)
      const twin = span.attributes[`toolspan.link.${type}`]
      const wanted = links.length === 0 ? undefined : type === "consumes" ? links : links[0]
      const same = type === "consumes"
        ? JSON.stringify([...links].sort()) ===
          JSON.stringify(Array.isArray(twin) ? twin.map(String).sort() : twin ?? [])
        : links.length <= 1 && twin === wanted
      return same ? [] : [`${span.name}: twin of link ${type}: expected ${show(wanted)}, came ${show(twin)}`]
    })
  )
