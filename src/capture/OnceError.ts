import * as Schema from "effect/Schema"

const messages = {
  unfinished: "a run of it began and its end was never recorded, so it is not known what it did",
  unreadable: "what the store has for it cannot be read",
  store: "the store failed"
} as const

/**
 * Why a handler that may run only once did not run: it ends the call as a defect.
 *
 * `reason` is `unfinished` when an earlier run began and its end is not known (its process died, another process still
 * runs it, or its result could not be recorded), `unreadable` when the record is not one of `once` or no longer fits the
 * tool's schema, and `store` when the store could not be asked. Remove `key` from the store to let the call run again.
 *
 * @example
 * ```ts
 * import * as Toolspan from "toolspan"
 *
 * const error = new Toolspan.OnceError({ reason: "unfinished", tool: "send_mail", key: "toolspan/once…" })
 * console.log(error.message.startsWith("send_mail did not run")) // true
 * ```
 */
export class OnceError extends Schema.TaggedError<OnceError>()("OnceError", {
  reason: Schema.Literals(["unfinished", "unreadable", "store"]),
  tool: Schema.String,
  /** The key in the store. */
  key: Schema.String
}) {
  override get message(): string {
    return `${this.tool} did not run: ${messages[this.reason]}. The key in the store is ${this.key}`
  }
}
