/** Something that comes from the API, or does not. */
import { useEffect, useState } from "preact/hooks"

/** What is known of it; `value` stays while it is asked for again. */
export interface Loaded<A> {
  readonly value?: A
  readonly failure?: string
}

/** Loads again when `key` or `version` changes; a new key forgets the value. */
export const useLoaded = <A>(
  key: string,
  version: number,
  load: (signal: AbortSignal) => Promise<A>
): Loaded<A> => {
  const [state, setState] = useState<Loaded<A> & { readonly key: string }>({ key })
  useEffect(() => {
    const asking = new AbortController()
    load(asking.signal).then(
      (value) => setState({ key, value }),
      (cause: unknown) => {
        if (!asking.signal.aborted) {
          setState((before) => ({ ...(before.key === key ? before : { key }), failure: reasonOf(cause) }))
        }
      }
    )
    return () => asking.abort()
  }, [key, version])
  return state.key === key ? state : {}
}

const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
