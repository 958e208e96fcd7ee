/** Sends what a route of Effect answers through Node's server. */
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as PageHeader from "./PageHeader.ts"

/** Resolves when the client has taken what was written, or has gone. */
const drained = (response: ServerResponse): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => {
      response.off("drain", done)
      response.off("close", done)
      resume(Effect.void)
    }
    response.on("drain", done)
    response.on("close", done)
  })

const write = (response: ServerResponse, chunk: Uint8Array): Effect.Effect<void> =>
  Effect.suspend(() => response.write(chunk) || response.destroyed ? Effect.void : drained(response))

/** Sends the answer; a stream is read no faster than the client takes it, and left when the client goes. */
export const send = (
  response: ServerResponse,
  answer: HttpServerResponse.HttpServerResponse,
  withoutBody: boolean
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { body } = answer
    response.writeHead(answer.status, { "cache-control": "no-store", ...answer.headers, ...PageHeader.common })
    if (withoutBody || HttpServerResponse.omitsBody(answer)) return Effect.sync(() => response.end())
    if (body._tag === "Uint8Array") return Effect.sync(() => response.end(body.body))
    if (body._tag !== "Stream") return Effect.sync(() => response.end())
    response.flushHeaders()
    return Stream.runForEach(body.stream, (chunk) => write(response, chunk)).pipe(
      Effect.matchCause({ onFailure: () => response.destroy(), onSuccess: () => response.end() }),
      Effect.interruptible
    )
  })
