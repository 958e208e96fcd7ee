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
  /**
   * The next call: its id as the provider gave it, the id that the host made up when there is none, and whether the
   * provider runs it.
   */
  readonly next: (id: string | undefined, hostId?: string, providerExecuted?: boolean) => Numbered
  /** How many calls of this response so far have the id. */
  readonly inResponse: (id: string) => number
}

/** The prompt that a response answers, as far as its ids go. */
export type NumberedPrompt = Pick<Pairing, "calls" | "lastUser" | "missing" | "occurrences">

// A provider that was allowed to run its own call repeats the call beside the result: still the call of the prompt.
const continued = (prompt: NumberedPrompt, id: string): Numbered | undefined => {
  const call = prompt.calls.findLast((one) => one.id === id)
  return call !== undefined && call.providerExecuted && call.results.length === 0 && call.message > prompt.lastUser
    ? { key: call.key, occurrence: call.occurrence, idSource: "provider" }
    : undefined
}

/** Continues the count of a prompt's ids with the calls of its response; the pairing stays as it is. */
export const after = (prompt?: NumberedPrompt): Numbering => {
  const response = new Map<string, number>()
  let missing = prompt?.missing ?? 0
  const count = (id: string): number => {
    const inResponse = (response.get(id) ?? 0) + 1
    response.set(id, inResponse)
    return (prompt?.occurrences.get(id) ?? 0) + inResponse
  }
  return {
    next: (id, hostId, providerExecuted) => {
      if (id !== undefined && id !== "") {
        if (providerExecuted === true && prompt?.occurrences.has(id) === true && !response.has(id)) {
          const same = continued(prompt, id)
          if (same !== undefined) {
            response.set(id, 0)
            return same
          }
        }
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
