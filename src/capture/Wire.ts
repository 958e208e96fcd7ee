/** What a provider client saw on the wire, in one form for every provider. */

import type { ArgumentFault } from "../pairing/Arguments.ts"
import type { WireFormat } from "../pairing/Wire.ts"

/** A tool call as the wire gave it. */
export interface WireCall {
  /** `""` and `undefined` stay what they are. */
  readonly id: string | undefined
  /** The name on the wire; `""` when the call had none. */
  readonly name: string
  /** The OpenAI Responses item id. */
  readonly itemId: string | undefined
  /** The calling tool's id, of a programmatic call. */
  readonly callerId: string | undefined
  /** The provider's own approval, which the call waits for or went through; such a call has no id of its own. */
  readonly approval: { readonly id: string; readonly state: "pending" | "approved" } | undefined
  readonly providerExecuted: boolean
  /** A second tool name that a later fragment of the call carried. */
  readonly otherName: string | undefined
  /** The arguments, parsed; `undefined` when they are not whole, do not parse or are too large to keep. */
  readonly arguments: unknown
  /** Why `arguments` is `undefined`: cut off, or not what the host could parse. */
  readonly fault: ArgumentFault | undefined
  /** The text of arguments that do not parse. */
  readonly text: string | undefined
  /** Non-empty streamed fragments; `undefined` for a plain response. */
  readonly deltas: number | undefined
  /** Size of the encoded arguments in bytes (UTF-8). */
  readonly bytes: number | undefined
  /** Whether the stream told that the call is whole. */
  readonly complete: boolean
  /** Nanoseconds since the epoch. */
  readonly startTime: bigint
  readonly endTime: bigint
}

/** Token counts as the conventions define them; `undefined` where the provider did not tell. */
export interface Usage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cacheReadTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
}

/** What is known of one response. Grows while a stream is read. */
export interface WireFacts {
  readonly responseModel: string | undefined
  readonly responseId: string | undefined
  /** In the wire's own words. */
  readonly finishReasons: ReadonlyArray<string> | undefined
  readonly usage: Usage | undefined
  readonly calls: ReadonlyArray<WireCall>
  /** Calls beyond those that are followed. */
  readonly droppedCalls: number
  /** The kind of an error that the provider told inside of the response. */
  readonly failure: string | undefined
}

/** Reads one exchange with one provider API. `now` is in nanoseconds since the epoch. */
export interface WireReader {
  /** Takes a whole response body. */
  readonly response: (body: unknown, now: bigint) => void
  /** Takes one event of a streamed response. */
  readonly event: (event: unknown, now: bigint) => void
  /** The calls that are whole, each the same object whenever it is asked for. */
  readonly whole: () => ReadonlyArray<WireCall>
  /** What is known so far; unfinished calls are told as not complete. */
  readonly facts: () => WireFacts
}

/** One provider API as a client offers it. */
export interface WireProtocol {
  /** `gen_ai.provider.name`, by the URL that was asked when it is known. */
  readonly provider: (url: string | undefined) => string
  readonly format: WireFormat
  readonly reader: () => WireReader
}

/** A value as a number, or `undefined`. */
export const number = (value: unknown): number | undefined => typeof value === "number" ? value : undefined

/** A value as a text, or `undefined`. */
export const text = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

/** The kind of an error that a provider told: its own word when it is a plain one, else `_OTHER`. */
export const failureOf = (kind: unknown): string =>
  typeof kind === "string" && /^[A-Za-z0-9_.-]{1,64}$/.test(kind) ? kind : "_OTHER"

/** The size of a text in UTF-8 bytes. */
export const bytesOf = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0x80) bytes += code < 0x800 ? 1 : code >= 0xd800 && code < 0xe000 ? 1 : 2
  }
  return bytes
}
