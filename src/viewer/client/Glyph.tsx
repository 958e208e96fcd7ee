/** The life of a call in one line of a list: which stages there were, and how they went. */
import { tone } from "./Look.ts"
import type { CallJson } from "./Wire.ts"

/** Widths grow with the logarithm, so that milliseconds and hours both can be read. */
const width = (millis: number): number => Math.round(Math.min(34, 5 + 5 * Math.log10(1 + millis)))

const approvalClass = (state: string | undefined): string => `wait-bar ${state === "pending" ? "open" : tone(state)}`

/** Decision, wait, execution, result from left to right; what did not happen is not there. */
export const Glyph = ({ call }: { readonly call: CallJson }) => {
  const asked = call.state !== undefined && call.state !== "not_required"
  const ran = call.executions > 0 || call.providerExecuted
  return (
    <span class="glyph" aria-hidden="true">
      <i class={call.decidedAt === undefined ? "dot none" : "dot decision"} />
      {asked && <i class={approvalClass(call.state)} style={{ width: `${width(call.approvalWaitMillis ?? 400)}px` }} />}
      {ran && (
        <i
          class={`run-bar ${call.providerExecuted ? "elsewhere" : tone(call.outcome)}`}
          style={{ width: `${width(call.executionMillis ?? 30)}px` }}
        />
      )}
      {call.outcome !== undefined && <i class={`dot end ${tone(call.outcome)}`} />}
    </span>
  )
}
