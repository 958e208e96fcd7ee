/** Texts that may be in no string that is exported. */
import { kindOf, type SpanRecord, type Trail, type Value, type Values } from "../trail.ts"

/** `app`, and what a handler opens: an app records its own errors as it always did. */
const isOfTheApp = (span: SpanRecord): boolean => span.name === "app" || span.name === "handler of the app"

const strings = (where: string, value: Value | undefined | null): ReadonlyArray<readonly [string, string]> =>
  Array.isArray(value)
    ? value.flatMap((item) => strings(where, item))
    : value === undefined || value === null
    ? []
    : [[where, String(value)]]

const attributes = (where: string, record: Values) =>
  Object.entries(record).flatMap((
    [key, value]
  ) => [...strings(`key on ${where}`, key), ...strings(`${key} on ${where}`, value)])

/** Every string of the span, with where it stands. */
export const stringsOf = (span: SpanRecord): ReadonlyArray<readonly [string, string]> => {
  const events = span.events.filter((event) => !isOfTheApp(span) || event.name !== "exception")
  return [
    ...strings("span name", span.name),
    ...attributes(span.name, span.attributes),
    ...events.flatMap((event) => [
      ...strings(`event name on ${span.name}`, event.name),
      ...attributes(`event ${event.name} on ${span.name}`, event.attributes)
    ]),
    ...span.links.flatMap((link) => attributes(`link of ${span.name}`, link.attributes)),
    ...(isOfTheApp(span) ? [] : strings(`status message of ${span.name}`, span.status.message))
  ]
}

export const checkNever = (
  never: ReadonlyArray<string>,
  spans: ReadonlyArray<SpanRecord>,
  logs: Trail["logs"]
): ReadonlyArray<string> => {
  const all = [...spans.flatMap(stringsOf), ...logs.map((line) => ["log", line] as const)]
  return never.flatMap((text) =>
    [...new Set(all.filter(([, value]) => value.includes(text)).map(([where]) => where))].map((where) =>
      `never ${JSON.stringify(text)}: it is in ${where}`
    )
  )
}

/** The text must not be in a span of toolspan or of a turn, but for the attributes named. */
export const onlyIn = (text: string, allowed: ReadonlyArray<string>, spans: ReadonlyArray<SpanRecord>) =>
  spans.filter((span) => kindOf(span) !== "other").flatMap((span) =>
    stringsOf(span).filter(([where, value]) =>
      value.includes(text) && !allowed.some((key) => where === `${key} on ${span.name}`)
    ).map(([where]) => `${JSON.stringify(text)} is in ${where}`)
  )
