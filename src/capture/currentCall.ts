/** The call whose handler runs. */
import * as Context from "effect/Context"

/** Its key: the call's id, and which occurrence of a repeated one; absent where nothing is told of the execution. */
export const CurrentCallKey: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "toolspan/CurrentCallKey",
  { defaultValue: () => undefined }
)
