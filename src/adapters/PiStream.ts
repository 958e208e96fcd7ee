/** What a streamed answer of pi shows of its calls before they are whole. */
import type { AssistantMessageEvent } from "@earendil-works/pi-ai"

/** The fragments of one call so far. */
export interface Fragments {
  readonly startTime: bigint
  deltas: number
  bytes: number
  whole: boolean
}

const encoder = new TextEncoder()

export class PiStream {
  readonly startTime: bigint
  firstChunk: bigint | undefined
  readonly #fragments = new Map<number, Fragments>()

  constructor(startTime: bigint) {
    this.startTime = startTime
  }

  take(event: AssistantMessageEvent, now: bigint): void {
    if (event.type === "start") return
    this.firstChunk ??= now
    switch (event.type) {
      case "toolcall_start":
        this.#fragments.set(event.contentIndex, { startTime: now, deltas: 0, bytes: 0, whole: false })
        return
      case "toolcall_delta": {
        const fragments = this.#fragments.get(event.contentIndex)
        if (fragments === undefined || event.delta === "") return
        fragments.deltas++
        fragments.bytes += encoder.encode(event.delta).length
        return
      }
      case "toolcall_end": {
        const fragments = this.#fragments.get(event.contentIndex)
        if (fragments !== undefined) fragments.whole = true
        return
      }
    }
  }

  /** The fragments of the block at this place of the message. */
  of(index: number): Fragments | undefined {
    return this.#fragments.get(index)
  }

  /** Seconds to the first chunk. */
  get firstChunkSeconds(): number | undefined {
    return this.firstChunk === undefined ? undefined : Number(this.firstChunk - this.startTime) / 1e9
  }
}
