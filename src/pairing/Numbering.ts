import * as Key from "./Key.ts"
import type { Pairing } from "./Pairing.ts"

/** The key of a decided call, and where its id came from. */
export interface Numbered {
  /** The id, `id#2` for its second occurrence in prompt and response, the host's made-up id, or `?1`. */
  readonly key: string
  readonly occurrence: number
  readonly idSource: "provider" | "synthesized" | "missing"
}

/** Gives the calls of one response their keys, one after the other. */
export interface Numbering {
  /** The next call: its id as the provider gave it, and the id that the host made up when there is none. */
  readonly next: (id: string | undefined, hostId?: string) => Numbered
  /** How many calls of this response so far have the id. */
  readonly inResponse: (id: string) => number
}

/** Continues the count of a prompt's ids with the calls of its response; the pairing stays as it is. */
export const after = (prompt?: Pick<Pairing, "occurrences" | "missing">): Numbering => {
  const response = new Map<string, number>()
  let missing = prompt?.missing ?? 0
  const count = (id: string): number => {
    const inResponse = (response.get(id) ?? 0) + 1
    response.set(id, inResponse)
    return (prompt?.occurrences.get(id) ?? 0) + inResponse
  }
  return {
    next: (id, hostId) => {
      if (id !== undefined && id !== "") {
        const occurrence = count(id)
        return { key: Key.ofId(id, occurrence), occurrence, idSource: "provider" }
      }
      if (hostId !== undefined && hostId !== "") {
        const occurrence = count(hostId)
        return { key: Key.ofId(hostId, occurrence), occurrence, idSource: "synthesized" }
      }
      return { key: Key.ofMissing(++missing), occurrence: 1, idSource: "missing" }
    },
    inResponse: (id) => response.get(id) ?? 0
  }
}
