/** The violations of a run as a multiset: not one more, not one less, and each with what the case says of it. */
import * as Attribute from "../../../src/semconv/attribute.ts"
import * as Event from "../../../src/semconv/event.ts"
import type { ExpectedViolation } from "../case-file.ts"
import type { SpanRecord, Value } from "../trail.ts"
import { show, textHolds } from "./value.ts"

/** A violation as it was told, by an event or by the wire check. */
export interface ToldViolation {
  readonly kind: Value | undefined
  readonly id: Value | undefined
  readonly scope: Value | undefined
  readonly key: Value | undefined
  readonly approval: Value | undefined
  readonly other_name: Value | undefined
  readonly truncated: Value | undefined
}

export const toldBy = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<ToldViolation> =>
  spans.flatMap((span) => span.events).filter((event) => event.name === Event.violation).map(({ attributes }) => ({
    kind: attributes[Attribute.toolspanViolationKind],
    scope: attributes[Attribute.toolspanViolationScope],
    id: attributes[Attribute.genAiToolCallId],
    key: attributes[Attribute.toolspanCallKey],
    approval: attributes[Attribute.toolspanApprovalId],
    other_name: attributes[Attribute.toolspanViolationOtherName],
    truncated: attributes[Attribute.toolspanViolationTruncated]
  }))

const identity = (violation: Pick<ToldViolation | ExpectedViolation, "kind" | "id" | "scope">): string =>
  `${String(violation.kind)} of ${
    violation.id === null || violation.id === undefined ? "no id" : show(violation.id)
  } in ${String(violation.scope)}`

const fits = (expected: ExpectedViolation, told: ToldViolation): boolean =>
  identity(expected) === identity(told) && textHolds(told.key, expected.key) &&
  textHolds(told.approval, expected.approval) && textHolds(told.other_name, expected.other_name) &&
  textHolds(told.truncated, expected.truncated)

const tally = (names: ReadonlyArray<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const unmatched = (
  expected: ReadonlyArray<ExpectedViolation>,
  told: ReadonlyArray<ToldViolation>
): ReadonlyArray<ExpectedViolation> => {
  const takenBy = new Map<number, number>()
  const take = (index: number, seen: Set<number>): boolean =>
    told.some((candidate, i) => {
      if (seen.has(i) || !fits(expected[index]!, candidate)) return false
      seen.add(i)
      const other = takenBy.get(i)
      if (other !== undefined && !take(other, seen)) return false
      takenBy.set(i, index)
      return true
    })
  return expected.filter((_, index) => !take(index, new Set()))
}

export const checkViolations = (
  expected: ReadonlyArray<ExpectedViolation>,
  told: ReadonlyArray<ToldViolation>
): ReadonlyArray<string> => {
  const each = expected.flatMap((violation) => Array.from({ length: violation.count }, () => violation))
  const wanted = tally(each.map(identity))
  const came = tally(told.map(identity))
  const counts = [...new Set([...wanted.keys(), ...came.keys()])].filter((name) => wanted.get(name) !== came.get(name))
    .map((name) => `violation ${name}: expected ${wanted.get(name) ?? 0}, came ${came.get(name) ?? 0}`)
  if (counts.length > 0) return counts
  return unmatched(each, told).map((violation) => {
    const candidates = told.filter((candidate) => identity(candidate) === identity(violation))
    const { count: _, ...wanted } = violation
    return `violation ${identity(violation)}: expected ${show(wanted)}, came ${show(candidates)}`
  })
}
