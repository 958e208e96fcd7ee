/**
 * Conditions as a TraceQL query.
 */
import type { Alternative, Condition } from "./RemoteEngine.ts"
import * as Twin from "./LinkTarget.ts"

/** A text in quotes: Tempo reads a backslash before a backslash or a quote, and every other character as it stands. */
export const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`

const anyOf = (texts: ReadonlyArray<string>): string => texts.length === 1 ? texts[0]! : `(${texts.join(" || ")})`

/** Tempo strips zeros in front of ids in some places and not in others. */
const idForms = (id: string): ReadonlyArray<string> => [...new Set([id, id.replace(/^0+(?=.)/, "")])]

const ofCondition = (condition: Condition): string => {
  switch (condition.on) {
    case "span":
    case "event":
      return `${condition.on}.${condition.key} = ${quoted(condition.value)}`
    case "service":
      return `resource.service.name = ${quoted(condition.value)}`
    case "target":
      return anyOf(idForms(condition.value.slice(33)).map((id) => `link:spanID = ${quoted(id)}`))
    case "target-trace":
      return anyOf(idForms(condition.value).map((id) => `link:traceID = ${quoted(id)}`))
    case "twin-trace":
      return anyOf(Twin.keys.map((key) => `span.${key} =~ ${quoted(`${condition.value}-.*`)}`))
  }
}

/** The spans that fit any alternative; the newest traces first. */
export const query = (alternatives: ReadonlyArray<Alternative>): string =>
  `{ ${alternatives.map((all) => `(${all.map(ofCondition).join(" && ")})`).join(" || ")} } with (most_recent=true)`
