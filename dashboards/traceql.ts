/** Words of TraceQL, Tempo's language. */

/** An attribute of a span. */
export const span = (attribute: string): string => `span.${attribute}`

/**
 * A span has this attribute. Tempo compares a number only with its own kind: whole seconds arrive as an integer, others
 * as a double, and neither `> 0` nor `> 0.0` finds both.
 */
export const there = (attribute: string): string => `${span(attribute)} != nil`

/** An attribute of an event of a span. */
export const event = (attribute: string): string => `event.${attribute}`

/** The service that wrote a span. */
export const service = "resource.service.name"

/** A TraceQL string: backslash and quote need an escape, nothing else may have one. */
export const text = (value: string): string => `"${value.replaceAll("\\", "\\\\").replaceAll("\"", "\\\"")}"`

/**
 * What stands in a text box, as it is.
 * Between backticks nothing is an escape, so quotes and backslashes of an id are just themselves; Grafana's own
 * `doublequote` format leaves backslashes as they are and breaks on them. Only a backtick cannot be searched for.
 */
export const typed = (variable: string): string => `\`\${${variable}:raw}\``

/** A pattern of the values chosen in a variable; backticks keep the backslashes with which Grafana escapes them. */
export const pattern = (variable: string, before = ""): string => `\`${before}\${${variable}:regex}\``

/** The spans for which all of this is so. */
export const spans = (...conditions: ReadonlyArray<string>): string => `{ ${conditions.join(" && ")} }`

/** One of these is so. */
export const either = (...conditions: ReadonlyArray<string>): string => `(${conditions.join(" || ")})`

/** The spans with these fields, the newest first: without the hint Tempo stops at the first matches that it meets. */
export const table = (filter: string, fields: ReadonlyArray<string>): string =>
  `${filter} | select(${fields.join(", ")}) with (most_recent=true)`
