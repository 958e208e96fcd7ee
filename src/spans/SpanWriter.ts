import type { SpanWriter } from "../lifecycle/SpanWriter.ts"
import { approval } from "./approval.ts"
import { consume, endChat, openChat, violations } from "./chat.ts"
import { endDecision, openDecision } from "./decision.ts"
import { endExecution, openExecution, preliminary } from "./execution.ts"
import { result } from "./result.ts"

/** Writes spans through the Effect `Tracer` of each place. */
export const make = (): SpanWriter => ({
  openDecision,
  endDecision,
  approval,
  openExecution,
  preliminary,
  endExecution,
  result,
  openChat,
  endChat,
  consume,
  violations
})
