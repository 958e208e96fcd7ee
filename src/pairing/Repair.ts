import type { CheckOptions } from "./Check.ts"
import { formatFor } from "./Check.ts"
import { fromPrompt } from "./EffectPrompt.ts"
import type { Message } from "./History.ts"
import * as Loose from "./Loose.ts"
import * as MendedPrompt from "./MendedPrompt.ts"
import * as MendedWire from "./MendedWire.ts"
import * as Mending from "./Mending.ts"
import { NoHistory } from "./NoHistory.ts"
import type { Pairing } from "./Pairing.ts"
import { pair } from "./Pairing.ts"
import { fromPi } from "./PiMessages.ts"
import { isSession } from "./PiSession.ts"
import type { Violation } from "./Violation.ts"
import { pairWire, readers } from "./Wire.ts"

/** A history that was repaired, and the faults that it had of the kinds that a repair mends. */
export interface Repaired<A> {
  /** The history itself, the same object, when there was nothing to mend. */
  readonly history: A
  readonly mended: ReadonlyArray<Violation>
}

/** The kinds of fault that a repair mends; all others stay as they are. */
export const repairedKinds = ["unanswered_call", "orphan_result", "duplicate_result"] as const

const isMended = ({ kind }: Violation): boolean => (repairedKinds as ReadonlyArray<string>).includes(kind)

interface Read {
  readonly messages: ReadonlyArray<Message>
  readonly pairing: Pairing
  readonly write: (mending: Mending.Mending) => unknown
}

const readPrompt = (history: unknown): Read => {
  // A list of Effect messages may stand in a body too.
  const wrapped = Array.isArray(history) ? undefined : Loose.record(history)?.["messages"]
  const prompt = wrapped ?? history
  const messages = fromPrompt(prompt)
  return {
    messages,
    pairing: pair(messages),
    write: (mending) => {
      const mended = MendedPrompt.write(prompt, mending)
      return wrapped === undefined ? mended : { ...(history as object), messages: mended }
    }
  }
}

const read = (history: unknown, format: NonNullable<CheckOptions["format"]>): Read => {
  if (format === "effect") return readPrompt(history)
  if (format === "pi") {
    const messages = fromPi(history)
    return {
      messages,
      pairing: pair(messages),
      write: (mending) => MendedWire.write(format, history, mending, messages)
    }
  }
  const messages = readers[format](history)
  return {
    messages,
    pairing: pairWire(format, history, { parseArguments: false }),
    write: (mending) => MendedWire.write(format, history, mending, messages)
  }
}

// A result that was put in can take an excuse from another call of its id; each pass answers or drops something.
const passes = 100

/**
 * Gives a history that providers accept: results without a call and second results are left out, and each call without
 * its result gets a failure that says so (`{ type: "result-missing", message }`) right after its message.
 *
 * Nothing else changes: repeated ids, renamed tools and faults of approvals stay, and a history without these faults is
 * given back as the same object. Takes what `check` takes but for session files, and throws `NoHistory` where `check` does;
 * a decoded Effect prompt stays decoded.
 *
 * **Example** (A call whose result was lost)
 *
 * ```ts
 * import { repair } from "toolspan/pairing"
 *
 * const { history, mended } = repair([
 *   { role: "assistant", content: [{ type: "tool-call", id: "c1", name: "lookup", params: { key: "alpha" } }] },
 *   { role: "user", content: "never mind" }
 * ])
 *
 * history.map((message) => message.role) // => ["assistant", "tool", "user"]
 * mended.map((one) => one.kind) // => ["unanswered_call"]
 * ```
 */
export const repair = <A>(history: A, options: Pick<CheckOptions, "format"> = {}): Repaired<A> => {
  const format = formatFor(history, options.format)
  if (format === "pi" && isSession(history)) throw new NoHistory({ reason: "session" })
  let current: unknown = history
  let mended: ReadonlyArray<Violation> | undefined
  for (let pass = 0; pass < passes; pass++) {
    const { messages, pairing, write } = read(current, format)
    const mending = Mending.of(messages, pairing)
    if (mending === undefined) break
    mended ??= pairing.violations.filter(isMended)
    current = write(mending)
  }
  return { history: current as A, mended: mended ?? [] }
}
