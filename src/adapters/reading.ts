/** How an adapter reads what its framework was given: apps, providers and tools put anything there. */
import type { Recorder } from "../recorder/index.ts"

/** What `read` gives, or `undefined` where it throws: the recorder counts that, and the app goes on. */
export const reading = <A>(guarded: Recorder["guarded"], read: () => A): A | undefined => {
  let value: A | undefined
  guarded(() => {
    value = read()
  })
  return value
}
