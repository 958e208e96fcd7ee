import type { SpanWriter } from "../lifecycle/SpanWriter.ts"
import { approval } from "./approval.ts"
import { consume, endChat, openChat, violations } from "./chat.ts"
import { endDecision, openDecision } from "./decision.ts"
import { endExecution, openExecution, preliminary } from "./execution.ts"
import * as MeasuredWriter from "./measuredWriter.ts"
import { result } from "./result.ts"

const spans: SpanWriter = {
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
}

/** Writes spans through the Effect `Tracer` of each place, and measures where the place says so. */
export const make = (): SpanWriter => MeasuredWriter.make(spans)
