/**
 * Reads and unpacks a request's body within limits.
 */
import type { IncomingMessage } from "node:http"
import { gunzip } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Bytes of a body as it is sent, at most. */
export const sentAtMost = 16 * 1024 * 1024

/** Bytes of a body when it is unpacked, at most. */
export const unpackedAtMost = 64 * 1024 * 1024

/** The body is larger than it may be, as it is sent or unpacked. */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>()("BodyTooLarge", {
  reason: Schema.String
}) {}

/** The body ended early, or cannot be unpacked. */
export class BodyBroken extends Schema.TaggedError<BodyBroken>()("BodyBroken", {
  reason: Schema.String
}) {}

/** Other bodies take the memory that there is for bodies. */
export class BodiesTooMany extends Schema.TaggedError<BodiesTooMany>()("BodiesTooMany", {
  reason: Schema.String
}) {}

/** What the bodies that are being read hold together, in bytes; shared by all requests of a server. */
export interface Budget {
  held: number
  readonly atMost: number
}

const tooLarge = new BodyTooLarge({ reason: "the body is over 16 MiB: send smaller batches" })

const tooMany = new BodiesTooMany({ reason: "too many requests at a time: send this one again" })

/**
 * Reads the body. At a limit it is given up, and what still comes is thrown away as it comes. What was read is charged
 * to the budget: the caller gives the body's length back.
 */
export const read = (
  request: IncomingMessage,
  budget: Budget
): Effect.Effect<Buffer, BodyTooLarge | BodiesTooMany | BodyBroken> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    let done = false
    const giveUp = (error: BodyTooLarge | BodiesTooMany | BodyBroken): void => {
      if (done) return
      done = true
      budget.held -= size
      chunks.length = 0
      request.off("data", take)
      request.resume()
      resume(Effect.fail(error))
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      budget.held += chunk.length
      chunks.push(chunk)
      if (size > sentAtMost) giveUp(tooLarge)
      else if (budget.held > budget.atMost) giveUp(tooMany)
    }
    const end = (): void => {
      if (done) return
      done = true
      resume(Effect.succeed(Buffer.concat(chunks, size)))
    }
    const broken = (): void => giveUp(new BodyBroken({ reason: "the connection closed before the body ended" }))
    if (Number(request.headers["content-length"]) > sentAtMost) return giveUp(tooLarge)
    request.on("data", take)
    request.on("end", end)
    request.on("error", broken)
    request.on("close", broken)
  })

/** Unpacks gzip; stops at the limit. */
export const unpack = (body: Buffer): Effect.Effect<Buffer, BodyTooLarge | BodyBroken> =>
  Effect.callback((resume) => {
    gunzip(body, { maxOutputLength: unpackedAtMost }, (error, unpacked) => {
      if (error === null) return resume(Effect.succeed(unpacked))
      const large = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
      return resume(Effect.fail(
        large
          ? new BodyTooLarge({ reason: "the body unpacks to more than 64 MiB: send smaller batches" })
          : new BodyBroken({ reason: `the body is no whole gzip: ${error.message}` })
      ))
    })
  })
