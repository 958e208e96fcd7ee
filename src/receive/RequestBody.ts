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

const tooLarge = new BodyTooLarge({ reason: "the body is over 16 MiB: send smaller batches" })

/** Reads the body. At the limit it is given up, and what still comes is thrown away as it comes. */
export const read = (request: IncomingMessage): Effect.Effect<Buffer, BodyTooLarge | BodyBroken> =>
  Effect.callback((resume) => {
    if (Number(request.headers["content-length"]) > sentAtMost) {
      request.resume()
      return resume(Effect.fail(tooLarge))
    }
    const chunks: Array<Buffer> = []
    let size = 0
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= sentAtMost) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      request.off("data", take)
      request.resume()
      resume(Effect.fail(tooLarge))
    }
    const broken = (): void =>
      resume(Effect.fail(new BodyBroken({ reason: "the connection closed before the body ended" })))
    request.on("data", take)
    request.on("end", () => resume(Effect.succeed(Buffer.concat(chunks, size))))
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
