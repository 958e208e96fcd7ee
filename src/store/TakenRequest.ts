/**
 * Decodes a request and stores its spans.
 */
import * as Effect from "effect/Effect"
import type { OtlpError } from "../otlp/OtlpError.ts"
import * as TraceRequest from "../otlp/TraceRequest.ts"
import type { StoreUnavailable } from "./StoreError.ts"
import type { Taken, TraceStore } from "./TraceStore.ts"

/** Takes a body, in the store's own way where it has one. */
export const take = (
  store: TraceStore.Shape,
  body: Uint8Array,
  encoding: TraceRequest.Encoding
): Effect.Effect<Taken, StoreUnavailable | OtlpError> =>
  store.take?.(body, encoding) ?? Effect.flatMap(
    Effect.suspend(() => Effect.fromResult(TraceRequest.decode(body, encoding))),
    ({ encoded, reasons, refused, rows }) =>
      Effect.map(store.append(rows, encoded), (appended): Taken => ({ ...appended, refused, reasons }))
  )
