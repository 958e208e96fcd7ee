/**
 * What an engine can answer: what it cannot is declared, refused by name, and never guessed.
 */
import * as Schema from "effect/Schema"
import type { StoreUnavailable } from "./StoreError.ts"

/**
 * What can be asked beyond single traces: `calls` and `faults` (lists, counts and figures), `incoming` (who links to a
 * span), `order` (spans of one trace by arrival), `fields` (all that was sent of a span), `changes` (what is new), `stats`
 * (how much is stored).
 */
export type Question = "calls" | "faults" | "incoming" | "order" | "fields" | "changes" | "stats"

/** A question that an engine does not answer, or answers with less. */
export interface Limitation {
  readonly question: Question
  /** Why, as a sentence without a full stop. */
  readonly reason: string
  /** What to do instead, as a sentence without a full stop. */
  readonly instead: string
}

/** What an engine says of itself. */
export interface Capabilities {
  /** Its name for people, with its address where it has one. */
  readonly engine: string
  /** Questions that fail with {@link CannotAnswer}, always. */
  readonly refused: ReadonlyArray<Limitation>
  /** Questions whose answers can lack something, and what. */
  readonly partial: ReadonlyArray<Limitation>
}

/** The engine cannot answer this: not at all, or not without leaving something out. */
export class CannotAnswer extends Schema.TaggedError<CannotAnswer>()("CannotAnswer", {
  engine: Schema.String,
  question: Schema.String,
  reason: Schema.String,
  instead: Schema.String
}, { httpApiStatus: 501 }) {
  override get message(): string {
    return `${this.engine} cannot answer this: ${this.reason}. ${this.instead}.`
  }
}

/** Why a reader does not answer. */
export type ReadError = StoreUnavailable | CannotAnswer

/** An engine that answers everything. */
export const everything = (engine: string): Capabilities => ({ engine, refused: [], partial: [] })

/** The refusal that the engine has declared for this question. */
export const refusal = ({ engine, refused }: Capabilities, question: Question): CannotAnswer => {
  const declared = refused.find((limitation) => limitation.question === question)
  return new CannotAnswer({
    engine,
    question,
    reason: declared?.reason ?? "it does not know",
    instead: declared?.instead ?? "Ask for one trace or one call"
  })
}
