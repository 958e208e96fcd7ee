/** A reader in the place of a store: what is sent to it is refused. */
import * as Effect from "effect/Effect"
import { StoreUnavailable } from "./StoreError.ts"
import type { TraceReader } from "./TraceReader.ts"
import type { TraceStore } from "./TraceStore.ts"

/** Reads as this reader does, and takes nothing. */
export const make = (reader: TraceReader.Shape): TraceStore.Shape => ({
  ...reader,
  append: () =>
    Effect.fail(
      new StoreUnavailable({
        path: reader.capabilities.engine,
        reason: "it is only looked at from here. Send the spans where it takes them"
      })
    ),
  drop: () => Effect.succeed(0)
})
