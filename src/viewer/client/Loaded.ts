/** Something that comes from the API, or does not. */
import { useState } from "preact/hooks"
import { type ApiFailure, askedAgain, failureOf } from "./ApiFailure.ts"
import { useAsking } from "./Asking.ts"

/** What is known of it; `value` stays while it is asked for again. */
export interface Loaded<A> {
  readonly value?: A
  readonly failure?: ApiFailure
}

/** Loads again when `key` or `version` changes; a new key forgets the value. */
export const useLoaded = <A>(
  key: string,
  version: number,
  load: (signal: AbortSignal) => Promise<A>
): Loaded<A> => {
  const [state, setState] = useState<Loaded<A> & { readonly key: string }>({ key })
  useAsking(key, version, (signal) =>
    load(signal).then(
      (value) => {
        if (!signal.aborted) setState({ key, value })
        return "answered" as const
      },
      (cause: unknown) => {
        if (signal.aborted) return "answered"
        const failure = failureOf(cause)
        // What the server no longer has is not shown any more; what it cannot tell now is.
        const kept = (before: Loaded<A> & { readonly key: string }) =>
          before.key === key && failure.obstacle !== "nothing" ? before : { key }
        setState((before) => ({ ...kept(before), failure }))
        return askedAgain(failure)
      }
    ))
  return state.key === key ? state : {}
}
