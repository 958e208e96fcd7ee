/** What a client sends, line by line: only JSON gets through, and what does not is answered. */
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"

/** Bytes of one message. No question of ours is near it. */
export const messageAtMost = 4 * 1024 * 1024

const newline = 0x0a

interface Line {
  readonly bytes: Buffer
  /** The line was longer than a message may be; `bytes` has nothing of it. */
  readonly tooLong: boolean
}

/** Cuts chunks into lines; a line that is too long is not kept. */
const makeSplitter = () => {
  let parts: Array<Uint8Array> = []
  let length = 0
  const take = (part: Uint8Array) => {
    length += part.length
    if (length <= messageAtMost) parts.push(part)
    else parts = []
  }
  const finish = (): Line => {
    const line = { bytes: Buffer.concat(parts), tooLong: length > messageAtMost }
    parts = []
    length = 0
    return line
  }
  return {
    split: (chunk: Uint8Array): ReadonlyArray<Line> => {
      const lines: Array<Line> = []
      let from = 0
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        take(chunk.subarray(from, at))
        lines.push(finish())
        from = at + 1
      }
      take(chunk.subarray(from))
      return lines
    },
    rest: (): ReadonlyArray<Line> => length === 0 ? [] : [finish()]
  }
}

/** Lists and objects inside of each other, at most: what reads messages after us goes down by calls. */
const depthAtMost = 100

const depthOf = (bytes: Buffer): number => {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (quoted && byte === 0x5c) at++
    else if (byte === 0x22) quoted = !quoted
    else if (quoted) continue
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (byte === 0x5d || byte === 0x7d) depth--
  }
  return deepest
}

const refusal = (id: unknown, code: number, message: string): string =>
  `${
    JSON.stringify({
      jsonrpc: "2.0",
      id: typeof id === "string" || typeof id === "number" ? id : null,
      error: { code, message }
    })
  }\n`

/** What is answered to a line that is no message; `undefined` when it may be one. */
const refusalOf = ({ bytes, tooLong }: Line): string | undefined => {
  if (tooLong) return refusal(null, -32700, `Parse error: the message is over ${messageAtMost / 1024 / 1024} MiB`)
  let message: unknown
  try {
    message = JSON.parse(bytes.toString())
  } catch {
    return refusal(null, -32700, "Parse error: a message is one line of JSON")
  }
  return depthOf(bytes) <= depthAtMost
    ? undefined
    : refusal(
      (message as { readonly id?: unknown }).id,
      -32600,
      `Invalid request: it is nested deeper than ${depthAtMost}`
    )
}

/** The lines that are JSON; `answer` gets what is said of the others. */
export const messages = (
  input: Stream.Stream<Uint8Array, PlatformError>,
  answer: (line: string) => Effect.Effect<void, PlatformError>
): Stream.Stream<Uint8Array, PlatformError> =>
  Stream.suspend(() => {
    const { rest, split } = makeSplitter()
    return input.pipe(
      Stream.map(split),
      Stream.concat(Stream.sync(rest)),
      Stream.flatMap(Stream.fromIterable),
      Stream.filter(({ bytes, tooLong }) => tooLong || bytes.toString().trim() !== ""),
      Stream.filterEffect((line) => {
        const refused = refusalOf(line)
        return refused === undefined ? Effect.succeed(true) : Effect.as(answer(refused), false)
      }),
      Stream.map(({ bytes }) => Buffer.concat([bytes, Buffer.of(newline)]))
    )
  })
