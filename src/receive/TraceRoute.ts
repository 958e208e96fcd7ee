/**
 * `POST /v1/traces`: from request to stored spans.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as TraceRequest from "../otlp/TraceRequest.ts"
import * as TraceResponse from "../otlp/TraceResponse.ts"
import * as TakenRequest from "../store/TakenRequest.ts"
import type { TraceStore } from "../store/TraceStore.ts"
import * as Reply from "./Reply.ts"
import * as RequestBody from "./RequestBody.ts"

/** Where OTLP/HTTP exporters send spans. */
export const path = "/v1/traces"

/** Bodies that are unpacked and decoded at a time: 64 MiB of spans can take ten times that in memory. */
const decodedAtATime = 2

/** Seconds after which an exporter may try again when the store fails or there is no room. */
const retryAfter = "1"

/** What has arrived since the receiver started. */
export interface Counts {
  readonly requests: number
  readonly stored: number
  readonly duplicates: number
  readonly refused: number
}

/** The encoding that the Content-Type says; `undefined` for a foreign one. */
export const encodingOf = (headers: IncomingHttpHeaders): TraceRequest.Encoding | undefined => {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
  if (type === Reply.mediaTypes.json) return "json"
  return type === Reply.mediaTypes.protobuf ? "protobuf" : undefined
}

type Packing = "gzip" | "identity"

const packingOf = (headers: IncomingHttpHeaders): Packing | undefined => {
  const packing = headers["content-encoding"]?.trim().toLowerCase() || "identity"
  return packing === "gzip" || packing === "identity" ? packing : undefined
}

/** The route over a store; `bodiesAtMost` bytes of bodies are held at a time. */
export const make = (store: TraceStore.Shape, bodiesAtMost: number) => {
  const budget: RequestBody.Budget = { held: 0, atMost: bodiesAtMost }
  const semaphore = Semaphore.makeUnsafe(decodedAtATime)
  let counts: Counts = { requests: 0, stored: 0, duplicates: 0, refused: 0 }

  const take = Effect.fnUntraced(function*(body: Buffer, packing: Packing, encoding: TraceRequest.Encoding) {
    const plain = packing === "gzip" ? yield* RequestBody.unpack(body) : body
    const taken = yield* TakenRequest.take(store, plain, encoding)
    counts = {
      requests: counts.requests + 1,
      stored: counts.stored + taken.stored,
      duplicates: counts.duplicates + taken.duplicates,
      refused: counts.refused + taken.refused
    }
    return Reply.make(200, encoding, TraceResponse.encode(taken, encoding))
  })

  /** Answers after the spans are stored, so that an exporter's 200 is a promise. */
  const handle = (request: IncomingMessage): Effect.Effect<Reply.Reply> => {
    const encoding = encodingOf(request.headers)
    if (encoding === undefined) {
      return Effect.succeed(
        Reply.refuse(415, "json", "the Content-Type must be application/json or application/x-protobuf")
      )
    }
    const packing = packingOf(request.headers)
    if (packing === undefined) {
      const headers = { "accept-encoding": "gzip, identity" }
      return Effect.succeed(Reply.refuse(415, encoding, "the Content-Encoding must be gzip or identity", headers))
    }
    const again = { "retry-after": retryAfter }
    return RequestBody.read(request, budget).pipe(
      Effect.flatMap((body) => {
        // The store may take the body's memory over: its length is 0 then.
        const { length } = body
        return Effect.ensuring(
          semaphore.withPermits(1)(take(body, packing, encoding)),
          Effect.sync(() => {
            budget.held -= length
          })
        )
      }),
      Effect.catchTags({
        BodiesTooMany: (error) => Effect.succeed(Reply.refuse(503, encoding, error.reason, again)),
        BodyTooLarge: (error) => Effect.succeed(Reply.refuse(413, encoding, error.reason)),
        TooManyValues: (error) => Effect.succeed(Reply.refuse(413, encoding, error.message)),
        BodyBroken: (error) => Effect.succeed(Reply.refuse(400, encoding, error.reason)),
        NotOtlp: (error) => Effect.succeed(Reply.refuse(400, encoding, error.message)),
        StoreUnavailable: (error) =>
          Effect.as(
            Effect.logError(error.message),
            Reply.refuse(503, encoding, error.message, again)
          )
      })
    )
  }

  return { handle, counts: Effect.sync(() => counts) }
}
