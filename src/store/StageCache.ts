/**
 * What stage spans say of their calls, kept in memory: a call that grows span by span is grouped again each time, and its
 * bodies, which can be megabytes each, are not read again for it.
 */
import type { StageSpan } from "./StageSpan.ts"

/** Spans that are kept, the last ones; at some 2 KB each, 10 MB. */
const keptAtMost = 5_000

/** Characters of the texts of one span, at most: one that says more is read again. */
const charactersAtMost = 1_000

const charactersOf = (span: StageSpan): number => {
  let sum = 0
  for (const value of Object.values(span)) {
    if (typeof value === "string") sum += value.length
    else if (Array.isArray(value)) { for (const target of value) sum += String(target).length }
  }
  return sum
}

/** Stage spans by number. */
export interface StageCache {
  readonly get: (number: number) => StageSpan | undefined
  readonly set: (number: number, span: StageSpan) => void
  readonly delete: (number: number) => void
  readonly clear: () => void
}

/** Nothing kept yet. The oldest go together: a map looks for its first entry among all that were taken out before it. */
export const make = (): StageCache => {
  let older = new Map<number, StageSpan>()
  let newer = new Map<number, StageSpan>()
  return {
    get: (number) => newer.get(number) ?? older.get(number),
    set: (number, span) => {
      if (charactersOf(span) > charactersAtMost) return
      if (newer.size >= keptAtMost / 2) {
        older = newer
        newer = new Map()
      }
      newer.set(number, span)
    },
    delete: (number) => {
      newer.delete(number)
      older.delete(number)
    },
    clear: () => {
      newer.clear()
      older.clear()
    }
  }
}
