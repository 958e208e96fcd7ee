// A program with effect and without toolspan.
import { Effect } from "effect"

await Effect.runPromise(Effect.void)
