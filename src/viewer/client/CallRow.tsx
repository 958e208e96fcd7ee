/** One call in the list. */
import { Glyph } from "./Glyph.tsx"
import { Inert } from "./Inert.tsx"
import { tone, words } from "./Look.ts"
import { toCall } from "./Route.ts"
import * as Time from "./Time.ts"
import type { CallJson } from "./Wire.ts"

/** Height of a row, in the style sheet too. */
export const rowHeight = 34

/** What happened to the call, in a word or two. */
export const verdict = ({ executions, known, outcome, providerExecuted, state }: CallJson): {
  readonly text: string
  readonly value: string | undefined
} => {
  if (state === "pending") return { text: "waits for approval", value: "pending" }
  if (outcome !== undefined) return { text: words(outcome), value: outcome }
  if (state === "denied" || state === "abandoned") return { text: words(state), value: state }
  if (!known) return { text: "no such tool", value: "unknown_tool" }
  if (executions > 0) return { text: "ran", value: undefined }
  return {
    text: providerExecuted ? "at the provider" : state === "approved" ? "approved" : "decided",
    value: undefined
  }
}

/** One line: when, which tool, how it went, how long, where. */
export const CallRow = ({ call, selected }: { readonly call: CallJson; readonly selected: boolean }) => {
  const { text, value } = verdict(call)
  return (
    <a href={toCall(call)} class={selected ? "row selected" : "row"} aria-current={selected ? "true" : undefined}>
      <span class="c-time" title={`${Time.day(call.startedAt, true)} ${Time.clock(call.startedAt)}`}>
        {Time.moment(call.startedAt)}
      </span>
      <span class={call.known ? "c-tool" : "c-tool unknown"}>
        <Inert text={call.tool} max={80} />
      </span>
      <span class="c-life">
        <Glyph call={call} />
      </span>
      <span class={`c-verdict ${tone(value)}`}>
        {text}
        {call.errorType !== undefined && (
          <span class="error-type">
            <Inert text={call.errorType} max={60} />
          </span>
        )}
      </span>
      <span class="c-faults">
        {call.faults > 0 && <span class="faults" title={Time.count(call.faults, "fault")}>{call.faults}</span>}
      </span>
      <span class="c-wait">
        {call.approvalWaitMillis !== undefined && Time.duration(call.approvalWaitMillis)}
      </span>
      <span class="c-took">{call.executionMillis !== undefined && Time.duration(call.executionMillis)}</span>
      <span class="c-where">
        {call.conversation !== undefined && <Inert text={call.conversation} max={60} />}
      </span>
      <span class="c-id">
        <Inert text={call.id ?? call.key} max={60} />
      </span>
    </a>
  )
}
