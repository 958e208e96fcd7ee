/** One trace, whole. */
import * as Api from "./Api.ts"
import { Copy } from "./Copy.tsx"
import { Failed, FailedNotice } from "./Failed.tsx"
import type { Live } from "./LiveUpdate.ts"
import { useKeys } from "./Keyboard.ts"
import { useLoaded } from "./Loaded.ts"
import { back, go } from "./Navigation.ts"
import { type Route, toTrace } from "./Route.ts"
import { SpanDetail } from "./SpanDetail.tsx"
import * as Time from "./Time.ts"
import { useTitle } from "./Title.ts"
import { Waterfall } from "./Waterfall.tsx"

type TraceRoute = Extract<Route, { readonly view: "trace" }>

/** The page of one trace; the span in view is in the address. */
export const TraceView = ({ live, route }: { readonly route: TraceRoute; readonly live: Live }) => {
  const { failure, value } = useLoaded(route.id, live.version, (signal) => Api.trace(route.id, signal))
  const spans = value?.spans ?? []
  const at = spans.findIndex(({ spanId }) => spanId === route.span)
  const select = (spanId: string | undefined) => go(toTrace(route.id, spanId), true)
  const move = (by: 1 | -1) => {
    // The address, because a key that is held comes faster than the view is drawn.
    const last = new URLSearchParams(location.search).get("span")
    const from = spans.findIndex(({ spanId }) => spanId === last)
    select(spans[Math.max(0, Math.min(spans.length - 1, from + by))]?.spanId)
  }
  useTitle(`trace ${route.id.slice(0, 8)}`)
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Escape: back
  })
  if (value === undefined || spans.length === 0) {
    return (
      <main class="trace" aria-busy={failure === undefined}>
        {failure !== undefined && <Failed failure={failure} what="trace" />}
      </main>
    )
  }
  const span = spans[at]
  return (
    <main class="trace">
      {failure !== undefined && <FailedNotice failure={failure} />}
      <header class="call-head">
        <div class="call-title">
          <h1>
            Trace <span class="mono">{route.id}</span>
          </h1>
          <span class="actions">
            <Copy label="Copy id" text={route.id} what="the trace id" />
            <Copy label="Copy JSON" text={() => JSON.stringify(value, null, 2)} what="the trace as JSON" />
          </span>
        </div>
        <p class="faint">
          {Time.count(spans.length, "span")} · {Time.day(spans[0]!.start, true)}, {Time.clock(spans[0]!.start)}
        </p>
      </header>
      <div class={span === undefined ? "split" : "split open"}>
        <Waterfall spans={spans} hidden={value.hidden} selected={route.span} onSelect={select} />
        {span !== undefined && <SpanDetail span={span} onClose={() => select(undefined)} />}
      </div>
    </main>
  )
}
