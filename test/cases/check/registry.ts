/** Every name and value of the contract, on a span where it may stand, with its type. */
import * as Attribute from "../../../src/semconv/attribute.ts"
import {
  type AttributeDefinition,
  attributes,
  events,
  links,
  type Place,
  spans as stageSpans
} from "../../../src/semconv/registry.ts"
import * as Violation from "../../../src/semconv/violation.ts"
import { kindOf, type SpanRecord } from "../trail.ts"
import { show } from "./value.ts"

const byKey = new Map(attributes.map((definition) => [definition.key, definition]))

const hasType = (value: unknown, type: AttributeDefinition["type"]): boolean => {
  switch (type) {
    case "string":
      return typeof value === "string"
    case "string[]":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
    case "int":
      return Number.isSafeInteger(value)
    case "double":
      return typeof value === "number" && Number.isFinite(value)
    case "boolean":
      return typeof value === "boolean"
  }
}

const placeOf = (span: SpanRecord): Place | undefined => {
  const kind = kindOf(span)
  if (kind === "chat" || kind === "turn") return kind
  return stageSpans.find(({ name }) => name.startsWith(`${kind} `))?.stage ?? undefined
}

const attribute = (span: SpanRecord, place: Place | undefined, key: string, value: unknown): ReadonlyArray<string> => {
  const definition = byKey.get(key)
  const ours = key.startsWith("toolspan.")
  const label = `${span.name}: ${key}`
  if (definition === undefined) return ours ? [`${label} is not in the registry`] : []
  // The host and the provider packages write gen_ai attributes on the turn's span, and apps on their own.
  if (!ours && (place === undefined || place === "turn")) return []
  const failures: Array<string> = []
  if (place === undefined || !definition.stages.includes(place)) failures.push(`${label} may not stand on this span`)
  if (!hasType(value, definition.type)) failures.push(`${label}: expected ${definition.type}, came ${show(value)}`)
  if (definition.values?.includes(String(value)) === false) {
    failures.push(`${label}: ${show(value)} is not in the registry`)
  }
  if (definition.max !== undefined && String(value).length > definition.max) {
    failures.push(`${label}: ${String(value).length} characters, ${definition.max} at most`)
  }
  return failures
}

const stage = (span: SpanRecord, place: Place | undefined): ReadonlyArray<string> => {
  if (place === undefined || place === "chat" || place === "turn") return []
  const told = span.attributes[Attribute.toolspanStage]
  const missing = attributes.filter((definition) => definition.always === true && definition.stages.includes(place))
    .filter((definition) => span.attributes[definition.key] === undefined)
  return [
    ...(told === place ? [] : [`${span.name}: ${Attribute.toolspanStage}: expected ${place}, came ${show(told)}`]),
    ...missing.map((definition) => `${span.name}: ${definition.key}: expected always, came absent`)
  ]
}

const kinds: Readonly<Record<string, ReadonlyArray<string>>> = {
  [Attribute.toolspanViolationKind]: Violation.kinds,
  [Attribute.toolspanViolationScope]: Violation.scopes
}

const event = (span: SpanRecord): ReadonlyArray<string> =>
  span.events.filter(({ name }) => name.startsWith("toolspan.")).flatMap(({ attributes, name }) => {
    const definition = events.find((known) => known.name === name)
    if (definition === undefined) return [`${span.name}: event ${name} is not in the registry`]
    return Object.entries(attributes).flatMap(([key, value]) => {
      const type = definition.attributes[key]
      if (type === undefined) return [`${span.name}: event ${name}: ${key} is not in the registry`]
      const known = kinds[key]?.includes(String(value)) !== false
      return hasType(value, type) && known ? [] : [`${span.name}: event ${name}: ${key} is ${show(value)}`]
    })
  }).concat(
    events.filter((known) => span.events.filter(({ name }) => name === known.name).length > known.max)
      .map((known) => `${span.name}: more than ${known.max} events ${known.name}`)
  )

const link = (span: SpanRecord): ReadonlyArray<string> =>
  span.links.map((link) => link.attributes[links.attribute]).filter((type) => type !== undefined)
    .filter((type) => !(links.types as ReadonlyArray<unknown>).includes(type))
    .map((type) => `${span.name}: link type ${show(type)} is not in the registry`)

export const checkRegistry = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> =>
  spans.flatMap((span) => {
    const place = placeOf(span)
    return [
      ...Object.entries(span.attributes).flatMap(([key, value]) => attribute(span, place, key, value)),
      ...stage(span, place),
      ...event(span),
      ...link(span)
    ]
  })
