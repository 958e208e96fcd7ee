/** How a span ends: an exit that tells the kind of failure and nothing else. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"

const exits = new Map<string, Exit.Exit<never, unknown>>()

/** Error names come from the app: beyond this many they are not kept, only made anew. */
const maximumExits = 256

/** A failed exit that carries the name of the error and no message, no stack and no value. */
export const failed = (errorType: string): Exit.Exit<never, unknown> => {
  const known = exits.get(errorType)
  if (known !== undefined) return known
  const exit = Exit.fail({ name: errorType, message: "", stack: errorType })
  if (exits.size < maximumExits) exits.set(errorType, exit)
  return exit
}

/** An exit by interruption only: not an error. */
export const interrupted: Exit.Exit<never, unknown> = Exit.failCause(Cause.interrupt())
