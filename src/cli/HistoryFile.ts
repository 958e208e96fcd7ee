/** A history in a file or on standard input. */
import { createReadStream } from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import { isSession } from "../pairing/PiSession.ts"
import { CommandFailure } from "./CommandFailure.ts"

/** Longer than any request that a provider takes, and well below the longest text that Node can hold. */
export const maximumBytes = 256 * 1024 * 1024

const tooLong = (name: string, bytes: number) =>
  new CommandFailure({
    message: `${name} has more than ${bytes / 1024 / 1024} MiB. Check a part of it: one conversation, or one request.`
  })

const unreadable = (name: string, cause: unknown): CommandFailure => {
  if (cause instanceof CommandFailure) return cause
  switch ((cause as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return new CommandFailure({ message: `There is no file ${name}.` })
    case "EISDIR":
      return new CommandFailure({ message: `${name} is a folder. Name one file, or - for standard input.` })
    default:
      return new CommandFailure({
        message: `${name} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  }
}

const textOf = async (source: AsyncIterable<Buffer>, name: string, limit: number): Promise<string> => {
  const pieces: Array<Buffer> = []
  let bytes = 0
  for await (const piece of source) {
    bytes += piece.length
    if (bytes > limit) throw tooLong(name, limit)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8").replace(/^\uFEFF/, "")
}

const parsed = (text: string, name: string, isText: (text: string) => boolean) => {
  if (text.trim() === "") return Effect.fail(new CommandFailure({ message: `${name} is empty.` }))
  // A session that has only its first line is JSON, too.
  if (isSession(text)) return Effect.succeed<unknown>(text)
  return Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) =>
      new CommandFailure({ message: `${name} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}` })
  }).pipe(Effect.catch((failure) => isText(text) ? Effect.succeed(text) : Effect.fail(failure)))
}

/** How the file is called in what is said of it. */
export const nameOf = (path: string): string => path === "-" ? "Standard input" : path

/**
 * Reads the JSON of a file, or of standard input when the path is `-`. Gives the text itself of a session file of pi, and
 * where it is no JSON and wanted.
 */
export const read = (
  path: string,
  { isText = () => false, limit = maximumBytes }: {
    readonly isText?: (text: string) => boolean
    readonly limit?: number
  } = {}
): Effect.Effect<unknown, CommandFailure> => {
  const name = nameOf(path)
  return Effect.tryPromise({
    try: () => textOf(path === "-" ? process.stdin : createReadStream(path), name, limit),
    catch: (cause) => unreadable(name, cause)
  }).pipe(Effect.flatMap((text) => parsed(text, name, isText)))
}
