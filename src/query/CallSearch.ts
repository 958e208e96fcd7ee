/** What a list of calls is narrowed to, how it is ordered, and a page of it. */
import * as Schema from "effect/Schema"
import * as Attribute from "../semconv/attribute.ts"
import { attributes } from "../semconv/registry.ts"
import * as Violation from "../semconv/violation.ts"
import { Moment } from "./Moment.ts"
import { ToolCall } from "./ToolCall.ts"

/** The orders of a list: by the time when a call began, or by how long something took, the longest first. */
export const sorts = ["newest", "oldest", "slowest", "longest-wait"] as const

/** Calls of one page, at most. */
export const pageAtMost = 1000

/** Calls are counted up to this number; a `total` of this much means "or more". */
export const countedAtMost = 100_000

/** The values that the contract has for an attribute. */
const valuesOf = (key: string): ReadonlyArray<string> =>
  attributes.find((attribute) => attribute.key === key)?.values ?? []

/** The approval states that can be asked for; answers may have others, of a newer toolspan. */
export const states = valuesOf(Attribute.toolspanApprovalState)

/** The outcomes that can be asked for. */
export const outcomes = valuesOf(Attribute.toolspanOutcome)

/** The kinds of faults that can be asked for; `unknown` is a fault that was sent without one. */
export const faultKinds: ReadonlyArray<string> = [...Violation.kinds, "unknown"]

const Millis = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** The filters. What is not given does not narrow, and all that is given must hold for the call. */
export const filters = {
  /** The provider's id or the key, exactly. */
  id: Schema.optionalKey(Schema.String),
  /** How the provider's id or the key begins. */
  idPrefix: Schema.optionalKey(Schema.String),
  /** `toolspan.call.key`, exactly. */
  key: Schema.optionalKey(Schema.String),
  tool: Schema.optionalKey(Schema.String),
  /** The approval state. */
  state: Schema.optionalKey(Schema.Literals(states)),
  outcome: Schema.optionalKey(Schema.Literals(outcomes)),
  /** The kind of a fault that was reported for the call. */
  violation: Schema.optionalKey(Schema.Literals(faultKinds)),
  conversation: Schema.optionalKey(Schema.String),
  /** The service that wrote the call's first span. */
  service: Schema.optionalKey(Schema.String),
  /** The call began at this time or later. */
  from: Schema.optionalKey(Moment),
  /** The call began before this time. */
  to: Schema.optionalKey(Moment),
  /** How long the handler ran, in milliseconds. */
  minDuration: Schema.optionalKey(Millis),
  maxDuration: Schema.optionalKey(Millis),
  /** Text that the id or key begins with, that the tool's name holds, or that captured content holds (3 letters or more). */
  q: Schema.optionalKey(Schema.String)
} as const

/** The filters of a list of calls. */
export const CallFilter = Schema.Struct(filters)
/** The filters of a list of calls. */
export interface CallFilter extends Schema.Schema.Type<typeof CallFilter> {}

/** Filters, order and place of a page of calls. */
export const CallSearch = Schema.Struct({
  ...filters,
  sort: Schema.optionalKey(Schema.Literals(sorts)),
  /** Calls of the page, 50 unless told otherwise. */
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: pageAtMost }))),
  /** The `next` of the page before this one, with the same filters and order. */
  cursor: Schema.optionalKey(Schema.String)
})
/** Filters, order and place of a page of calls. */
export interface CallSearch extends Schema.Schema.Type<typeof CallSearch> {}

/** A call as a list has it: `faults` is the number of faults that were reported for it. */
export const ListedCall = Schema.Struct({ ...ToolCall.fields, faults: Schema.Finite })
/** A call as a list has it. */
export interface ListedCall extends Schema.Schema.Type<typeof ListedCall> {}

/**
 * One page; `next` is there when there are more calls, `total` counts all that fit (up to 100,000), and is absent where the
 * engine cannot count them.
 */
export const CallPage = Schema.Struct({
  calls: Schema.Array(ListedCall),
  next: Schema.optionalKey(Schema.String),
  total: Schema.optionalKey(Schema.Finite)
})
/** One page of calls. */
export interface CallPage extends Schema.Schema.Type<typeof CallPage> {}
