/** How much there is. */
import * as Time from "./Time.ts"
import type { StatsJson } from "./Wire.ts"

/** Calls and size of the store; the rest when it is pointed at. */
export const Stored = ({ stats }: { readonly stats: StatsJson }) => {
  const { bytes, calls, dropped, oldest, spans, traces } = stats
  const all = [
    `${Time.count(spans, "span")} in ${Time.count(traces, "trace")}, ${Time.bytes(bytes)} on disk`,
    ...(oldest === undefined ? [] : [`since ${Time.day(oldest, true)}, ${Time.clock(oldest).slice(0, 5)}`]),
    ...(dropped.spans === 0 ? [] : [`${Time.count(dropped.spans, "older span")} made room for them`])
  ]
  return <span class="stored" title={all.join("\n")}>{Time.count(calls, "call")}</span>
}
