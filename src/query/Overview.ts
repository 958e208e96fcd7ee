/** Figures over many calls. */
import * as Schema from "effect/Schema"
import { faultKinds } from "./CallSearch.ts"
import { Instant } from "./Instant.ts"
import { Violation } from "./Violation.ts"

/**
 * One tool in figures, over the newest 100,000 calls of all tools; durations in milliseconds, of the newest 1,000 calls of
 * the tool (fewer where there are more than 10 tools).
 */
export const ToolFigures = Schema.Struct({
  tool: Schema.String,
  /** False for a name that no toolkit had. */
  known: Schema.Boolean,
  calls: Schema.Finite,
  /** Calls that ended in `failure`, `invalid_parameters`, `invalid_result` or `unknown_tool`. */
  failures: Schema.Finite,
  /** How long the handler ran. */
  p50: Schema.optionalKey(Schema.Finite),
  p95: Schema.optionalKey(Schema.Finite),
  /** Calls that wait for an answer now. */
  pending: Schema.Finite,
  /** How long a human took to answer. */
  waitP50: Schema.optionalKey(Schema.Finite),
  waitP95: Schema.optionalKey(Schema.Finite),
  faults: Schema.Finite
})
/** One tool in figures. */
export interface ToolFigures extends Schema.Schema.Type<typeof ToolFigures> {}

/** All tools, the most called first; 1,000 at most. */
export const Tools = Schema.Struct({ tools: Schema.Array(ToolFigures) })
/** All tools. */
export interface Tools extends Schema.Schema.Type<typeof Tools> {}

/** A fault and the call that it names; where the fault names no tool, `tool` is that of the call. */
export const ListedViolation = Schema.Struct({
  ...Violation.fields,
  id: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(Schema.String),
  conversation: Schema.optionalKey(Schema.String),
  service: Schema.optionalKey(Schema.String)
})
/** A fault and the call that it names. */
export interface ListedViolation extends Schema.Schema.Type<typeof ListedViolation> {}

/** Which faults to list: of a kind, of a call by key or id, of a conversation. */
export const ViolationSearch = Schema.Struct({
  kind: Schema.optionalKey(Schema.Literals(faultKinds)),
  /** The id or the key of the call, exactly. */
  id: Schema.optionalKey(Schema.String),
  /** The tool that the fault names, else that of the call that it names. */
  tool: Schema.optionalKey(Schema.String),
  conversation: Schema.optionalKey(Schema.String),
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
  cursor: Schema.optionalKey(Schema.String)
})
/** Which faults to list. */
export interface ViolationSearch extends Schema.Schema.Type<typeof ViolationSearch> {}

/** How many faults of a kind there are. */
export const KindCount = Schema.Struct({ kind: Schema.String, count: Schema.Finite, explanation: Schema.String })

/** A page of faults, the last stored first; `kinds` counts all that are in the store. */
export const ViolationPage = Schema.Struct({
  violations: Schema.Array(ListedViolation),
  next: Schema.optionalKey(Schema.String),
  total: Schema.Finite,
  kinds: Schema.Array(KindCount)
})
/** A page of faults. */
export interface ViolationPage extends Schema.Schema.Type<typeof ViolationPage> {}

/** How much is in the store, and what retention has taken out of it since it was made. */
export const Stats = Schema.Struct({
  spans: Schema.Finite,
  calls: Schema.Finite,
  traces: Schema.Finite,
  violations: Schema.Finite,
  /** Size on disk. */
  bytes: Schema.Finite,
  oldest: Schema.optionalKey(Instant),
  newest: Schema.optionalKey(Instant),
  dropped: Schema.Struct({ spans: Schema.Finite, calls: Schema.Finite })
})
/** How much is in the store. */
export interface Stats extends Schema.Schema.Type<typeof Stats> {}
