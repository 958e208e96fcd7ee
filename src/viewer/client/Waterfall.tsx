/** The spans of a trace as a tree with bars. */
import { useEffect, useRef, useState } from "preact/hooks"
import { Inert } from "./Inert.tsx"
import { signs } from "./Look.ts"
import * as Time from "./Time.ts"
import type { StorySpanJson } from "./Wire.ts"

/** A span that can be drawn. */
export type DrawnSpan = Omit<StorySpanJson, "role"> & { readonly role?: StorySpanJson["role"] }

/** Deeper spans keep their order, but are no longer indented. */
const maxIndent = 14
/** Spans that are drawn before the reader asks for the others. */
const firstShown = 400

/** One line per span. */
export const Waterfall = ({ hidden = 0, onSelect, selected, spans }: {
  readonly spans: ReadonlyArray<DrawnSpan>
  readonly selected: string | undefined
  readonly onSelect: (spanId: string) => void
  /** Spans of the trace that are not given. */
  readonly hidden?: number
}) => {
  const [shown, setShown] = useState(firstShown)
  const drawn = Math.max(shown, spans.findIndex(({ spanId }) => spanId === selected) + 50)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(".span.selected")?.scrollIntoView({ block: "nearest" })
  }, [selected])
  const from = Math.min(...spans.map(({ start }) => Time.millisOf(start)))
  const to = Math.max(...spans.map(({ durationMillis, start }) => Time.millisOf(start) + durationMillis))
  const whole = Math.max(to - from, 0.001)
  return (
    <div class="waterfall" ref={list} role="tree" aria-label="Spans">
      <div class="ticks" aria-hidden="true">
        <span />
        <span class="ticks-axis">
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <i key={part} style={{ left: `${part * 100}%` }}>{Time.duration(whole * part)}</i>
          ))}
        </span>
        <span />
      </div>
      {spans.slice(0, drawn).map((span) => {
        const left = Math.min(100, Math.max(0, (Time.millisOf(span.start) - from) / whole * 100))
        const width = Math.min(100 - left, span.durationMillis / whole * 100)
        const role = span.role ?? "around"
        return (
          <button
            type="button"
            key={span.spanId}
            role="treeitem"
            aria-level={span.depth + 1}
            aria-selected={span.spanId === selected}
            class={`span ${role}${span.failed ? " failed" : ""}${span.spanId === selected ? " selected" : ""}`}
            onClick={() => onSelect(span.spanId)}
          >
            <span class="span-name" style={{ paddingLeft: `${Math.min(span.depth, maxIndent) * 14}px` }}>
              <span class="sign" aria-hidden="true">{signs[role]}</span>
              <Inert text={span.name} max={120} />
              {span.errorType !== undefined && (
                <span class="error-type">
                  <Inert text={span.errorType} max={60} />
                </span>
              )}
            </span>
            <span class="span-axis">
              <i class={span.durationMillis === 0 ? "instant" : ""} style={{ left: `${left}%`, width: `${width}%` }} />
            </span>
            <span class="span-took">{span.durationMillis === 0 ? "" : Time.duration(span.durationMillis)}</span>
          </button>
        )
      })}
      {spans.length > drawn && (
        <button type="button" class="more" onClick={() => setShown(drawn + 2000)}>
          {Time.count(spans.length - drawn, "more span")}
        </button>
      )}
      {hidden > 0 && <p class="faint more">{Time.count(hidden, "other span")} in this trace</p>}
    </div>
  )
}
