import * as Schema from "effect/Schema"
import { kinds, scopes } from "../semconv/violation.ts"
import type { Violation } from "./Violation.ts"

/** How many violations the message names; `violations` has all of them. */
const named = 5

// Messages of errors reach spans: no tool name stands in one, because a model may have invented it.
const line = ({ advice, id, key = id, kind, message, part }: Violation): string =>
  `${kind}${key === undefined ? "" : ` ${key}`} at message ${message}, part ${part}: ${advice}`

/**
 * A history that the guard refused to send, with everything that is wrong with it.
 *
 * `violations` are those of `check` from `toolspan/pairing`, in the order of the history: kind, key, position (index of
 * the message, index of the part) and the advice how to mend it. It never holds arguments or results of a call.
 *
 * @example
 * ```ts
 * import * as Toolspan from "toolspan"
 * import { check } from "toolspan/pairing"
 *
 * const history = [{ role: "tool", content: [{ type: "tool-result", id: "c1", name: "lookup", result: "v" }] }]
 * const error = new Toolspan.BrokenHistory({ violations: check(history) })
 * console.log(error.message.split(":")[0]) // "The history was not sent, because 1 thing in it is broken"
 * ```
 */
export class BrokenHistory extends Schema.TaggedError<BrokenHistory>()("BrokenHistory", {
  violations: Schema.Array(Schema.Struct({
    kind: Schema.Literals(kinds),
    scope: Schema.Literals(scopes),
    id: Schema.optionalKey(Schema.String),
    name: Schema.optionalKey(Schema.String),
    key: Schema.optionalKey(Schema.String),
    approvalId: Schema.optionalKey(Schema.String),
    otherName: Schema.optionalKey(Schema.String),
    truncated: Schema.optionalKey(Schema.Boolean),
    message: Schema.Finite,
    part: Schema.Finite,
    advice: Schema.String
  }))
}) {
  override get message(): string {
    const { length } = this.violations
    const more = length > named ? [`and ${length - named} more`] : []
    const what = `${length} ${length === 1 ? "thing in it is" : "things in it are"} broken`
    return [`The history was not sent, because ${what}:`, ...this.violations.slice(0, named).map(line), ...more].join(
      "\n"
    )
  }
}
