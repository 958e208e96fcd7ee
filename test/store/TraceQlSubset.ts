/**
 * Reads the part of TraceQL that toolspan writes, and says which spans it selects, as Tempo's documentation describes it:
 * https://grafana.com/docs/tempo/latest/traceql/construct-traceql-queries/ (fields, comparison, arrays, any event or link).
 */
import type { AttributeValue, SpanRow } from "../../src/otlp/SpanRow.ts"
import { attributeOf } from "../../src/otlp/SpanRow.ts"

type Selects = (row: SpanRow) => boolean

/** A text in quotes: a backslash stands before a backslash or a quote, and nowhere else. */
const text = /"((?:[^"\\]|\\["\\])*)"/y
const field = /(?:span|event|resource)\.[A-Za-z0-9_.]+|link:(?:spanID|traceID)/y
const sign = /=~|=/y
const spaces = /\s*/y

/** Each value of a list counts by itself; a text in a query never equals a number. */
const textsOf = (value: AttributeValue | undefined): ReadonlyArray<string> =>
  (Array.isArray(value) ? value as ReadonlyArray<AttributeValue> : [value]).filter((one) => typeof one === "string")

const valuesOf = (name: string, row: SpanRow): ReadonlyArray<string> => {
  if (name === "link:spanID") return row.links.map(({ spanId }) => spanId)
  if (name === "link:traceID") return row.links.map(({ traceId }) => traceId)
  const key = name.slice(name.indexOf(".") + 1)
  if (name.startsWith("span.")) return textsOf(attributeOf(row.attributes, key))
  if (name.startsWith("resource.")) return textsOf(attributeOf(row.resource.attributes, key))
  return row.events.flatMap(({ attributes }) => textsOf(attributeOf(attributes, key)))
}

/** The spans that a query selects; throws where Tempo answers 400. */
export const parse = (query: string): Selects => {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray => {
    spaces.lastIndex = at
    spaces.exec(query)
    pattern.lastIndex = spaces.lastIndex
    const found = pattern.exec(query)
    if (found === null) throw new Error(`unexpected at ${at}: ${query.slice(at, at + 20)}`)
    at = pattern.lastIndex
    return found
  }
  const follows = (literal: string): boolean => {
    spaces.lastIndex = at
    spaces.exec(query)
    if (!query.startsWith(literal, spaces.lastIndex)) return false
    at = spaces.lastIndex + literal.length
    return true
  }
  const expect = (literal: string): void => {
    if (!follows(literal)) throw new Error(`no ${literal} at ${at}`)
  }
  const comparison = (): Selects => {
    const [name] = take(field)
    const [how] = take(sign)
    const wanted = take(text)[1]!.replace(/\\(["\\])/g, "$1")
    const pattern = how === "=~" ? new RegExp(`^(?:${wanted})$`) : undefined
    return (row) => valuesOf(name, row).some((value) => pattern === undefined ? value === wanted : pattern.test(value))
  }
  const one = (): Selects => {
    if (!follows("(")) return comparison()
    const inside = any()
    expect(")")
    return inside
  }
  const all = (): Selects => {
    const parts = [one()]
    while (follows("&&")) parts.push(one())
    return (row) => parts.every((part) => part(row))
  }
  const any = (): Selects => {
    const parts = [all()]
    while (follows("||")) parts.push(all())
    return (row) => parts.some((part) => part(row))
  }
  expect("{")
  const selects = any()
  expect("}")
  expect("with (most_recent=true)")
  if (query.slice(at).trim() !== "") throw new Error(`unexpected at ${at}`)
  return selects
}
