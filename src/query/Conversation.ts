/** A conversation: its turns in order, and what each of them decided. */
import * as Schema from "effect/Schema"
import { ListedCall } from "./CallSearch.ts"
import { Instant } from "./Instant.ts"
import { SpanRef } from "./SpanRef.ts"

/** One turn, or one provider request where no turn is known, and the calls that it decided. */
export const Turn = Schema.Struct({
  at: Instant,
  span: SpanRef,
  durationMillis: Schema.Finite,
  model: Schema.optionalKey(Schema.String),
  failed: Schema.Boolean,
  /** Calls that this turn decided; a call of which no decision has arrived stands at the turn of its first span. */
  calls: Schema.Array(ListedCall),
  /** Keys of the calls whose results this turn carried to the model. */
  consumed: Schema.Array(Schema.String)
})
/** One turn. */
export interface Turn extends Schema.Schema.Type<typeof Turn> {}

/** The turns of a conversation, the earliest first; `more` when there are others that were not told. */
export const Conversation = Schema.Struct({
  id: Schema.String,
  turns: Schema.Array(Turn),
  more: Schema.Boolean
})
/** A conversation. */
export interface Conversation extends Schema.Schema.Type<typeof Conversation> {}
