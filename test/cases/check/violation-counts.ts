/** A span with violation events has their number and their kinds; no other span has these. */
import * as Attribute from "../../../src/semconv/attribute.ts"
import * as Event from "../../../src/semconv/event.ts"
import { kindOf, type SpanRecord } from "../trail.ts"
import { show } from "./value.ts"

const most = 20

export const checkViolationCounts = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> =>
  spans.flatMap((span) => {
    const events = span.events.filter((event) => event.name === Event.violation)
    const count = span.attributes[Attribute.toolspanViolationCount]
    const kinds = span.attributes[Attribute.toolspanViolationKinds]
    if (events.length === 0) {
      return count === undefined && kinds === undefined
        ? []
        : [`${span.name}: no violation event, but count ${show(count)} and kinds ${show(kinds)}`]
    }
    const told = [...new Set(events.map((event) => String(event.attributes[Attribute.toolspanViolationKind])))].sort()
    const listed = Array.isArray(kinds) ? kinds.map(String) : []
    const whole = events.length < most
    const failures: Array<string> = []
    if (events.length > most) failures.push(`${span.name}: ${events.length} violation events, ${most} at most`)
    if (!["chat", "turn"].includes(kindOf(span))) {
      failures.push(`${span.name}: violation events stand on chat or the turn`)
    }
    const right = whole ? count === events.length : typeof count === "number" && count >= events.length
    if (!right) failures.push(`${span.name}: violation count: expected ${events.length}, came ${show(count)}`)
    const orderly = JSON.stringify(listed) === JSON.stringify([...new Set(listed)].sort())
    const equal = whole || count === events.length
      ? JSON.stringify(listed) === JSON.stringify(told)
      : told.every((kind) => listed.includes(kind))
    if (!orderly || !equal) failures.push(`${span.name}: violation kinds: expected ${show(told)}, came ${show(kinds)}`)
    return failures
  })
