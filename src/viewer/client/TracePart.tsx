/** The part of a trace that a call has touched; a span opens beside it. */
import { useState } from "preact/hooks"
import * as Api from "./Api.ts"
import { Inert } from "./Inert.tsx"
import { useLoaded } from "./Loaded.ts"
import { toTrace } from "./Route.ts"
import { SpanDetail } from "./SpanDetail.tsx"
import { Waterfall } from "./Waterfall.tsx"
import type { StorySpanJson } from "./Wire.ts"

const Detail = ({ onClose, spanId, traceId, version }: {
  readonly traceId: string
  readonly spanId: string
  readonly version: number
  readonly onClose: () => void
}) => {
  const { failure, value } = useLoaded(traceId, version, (signal) => Api.trace(traceId, signal))
  const span = value?.spans.find((span) => span.spanId === spanId)
  if (span !== undefined) return <SpanDetail span={span} onClose={onClose} />
  return <section class="detail">{failure ?? (value === undefined ? "" : "This span is not in the store.")}</section>
}

/** A waterfall under the trace's id. */
export const TracePart = ({ hidden, spans, traceId, version }: {
  readonly traceId: string
  readonly spans: ReadonlyArray<StorySpanJson>
  readonly hidden: number
  readonly version: number
}) => {
  const [selected, setSelected] = useState<string>()
  const services = [...new Set(spans.flatMap(({ service }) => service ?? []))]
  return (
    <section class="trace-part">
      <h2>
        <a href={toTrace(traceId)}>
          Trace <span class="mono">{traceId.slice(0, 8)}</span>
        </a>
        <span class="faint">
          <Inert text={services.join(", ")} max={80} />
        </span>
      </h2>
      <div class={selected === undefined ? "split" : "split open"}>
        <Waterfall
          spans={spans}
          hidden={hidden}
          selected={selected}
          onSelect={(spanId) => setSelected(spanId === selected ? undefined : spanId)}
        />
        {selected !== undefined && (
          <Detail
            traceId={traceId}
            spanId={selected}
            version={version}
            onClose={() => setSelected(undefined)}
          />
        )}
      </div>
    </section>
  )
}
