/** Questions that are asked again: when there is news, and when there was no answer. */
import { useEffect, useRef } from "preact/hooks"

/** The server rests this many times as long as it took to answer, at most so many milliseconds. */
const restFactor = 3
const restAtMost = 5000

/** Milliseconds until a question without an answer is asked again. */
const retryAfter = 2000

const pause = (millis: number): Promise<void> => new Promise((done) => setTimeout(done, millis))

/**
 * Asks for each new `key`, and again when `version` has changed. One question at a time: news that comes faster than the
 * answers makes one more question, not a queue. `ask` MUST NOT reject; it says whether asking again can help.
 */
export const useAsking = (
  key: string,
  version: number,
  ask: (signal: AbortSignal) => Promise<"answered" | "again">
): void => {
  const latest = useRef(ask)
  latest.current = ask
  const current = useRef({ wanted: version, asking: false, run: () => {} })
  useEffect(() => {
    const left = new AbortController()
    const run = async () => {
      turn.asking = true
      while (!left.signal.aborted) {
        const asked = turn.wanted
        const began = performance.now()
        const outcome = await latest.current(left.signal)
        const took = performance.now() - began
        // News of the time in which it rests are found by the next question.
        await pause(outcome === "again" ? retryAfter : Math.min(restAtMost, took * restFactor))
        if (outcome === "answered" && asked === turn.wanted) break
      }
      turn.asking = false
    }
    const turn = { wanted: version, asking: false, run: () => void run() }
    current.current = turn
    turn.run()
    return () => left.abort()
  }, [key])
  useEffect(() => {
    const turn = current.current
    if (turn.wanted === version) return
    turn.wanted = version
    if (!turn.asking) turn.run()
  }, [version])
}
