import type { Question } from "../../src/store/Capability.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"

/** What of the contract a store keeps, and what it declares that it does not. */
export interface Engine {
  /** What is promised of a span: the span without what the engine declares to lose or to add. */
  readonly kept: (row: SpanRow) => SpanRow
  /** Characters of an id that can be searched; longer ones are refused. */
  readonly idAtMost: number
  /** Whether it keeps the order of arrival, tells what is new, counts what it has and drops what is old. */
  readonly local: boolean
  /** Whether links are found by their targets; else only by the attributes that repeat them, and lists only as a whole. */
  readonly searchesLinks: boolean
  /** Questions whose answers can lack something. */
  readonly partial: ReadonlyArray<Question>
  /** How many arrangements of spans are grouped (60), each in a store of its own. */
  readonly arrangements?: number
}

/** A store of our own does everything. */
export const ours: Engine = { kept: (row) => row, idAtMost: Infinity, local: true, searchesLinks: true, partial: [] }
