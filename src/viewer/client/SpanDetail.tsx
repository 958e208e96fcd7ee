/** Everything that one span was sent with, and the links that lead on from it. */
import { genAiToolCallId, toolspanCallKey } from "../../semconv/attribute.ts"
import type { AttributeJson, LinkJson, SpanJson } from "./Wire.ts"
import { Copy } from "./Copy.tsx"
import { Inert, InertBlock } from "./Inert.tsx"
import { words } from "./Look.ts"
import { toCall, toTrace } from "./Route.ts"
import * as Time from "./Time.ts"

const isLong = (text: string) => text.length > 90 || text.includes("\n")

/** A value as text: JSON for what is no text. */
const valueText = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value)

const Attributes = ({ attributes }: { readonly attributes: ReadonlyArray<AttributeJson> }) => (
  <dl class="attributes">
    {attributes.map(({ key, value }, index) => {
      const text = valueText(value)
      return (
        <div key={`${index} ${key}`} class={isLong(text) ? "long" : ""}>
          <dt>
            <Inert text={key} max={120} />
          </dt>
          <dd class={typeof value === "string" ? "" : "literal"}>
            {isLong(text) ? <pre><InertBlock text={text} max={4000} /></pre> : <Inert text={text} />}
          </dd>
          <Copy text={text} what={key.slice(0, 80)} />
        </div>
      )
    })}
  </dl>
)

const Links = ({ label, links }: { readonly label: string; readonly links: ReadonlyArray<LinkJson> }) => (
  <>
    <h4>{label}</h4>
    <ul class="links">
      {links.map((link, index) => (
        <li key={index}>
          <span class="faint">{words(link.type) || "link"}</span>{" "}
          <a href={toTrace(link.traceId, link.spanId)}>
            <Inert text={link.name ?? `span ${link.spanId}`} max={100} />
          </a>
        </li>
      ))}
    </ul>
  </>
)

/** The call that a stage belongs to. */
const callOf = (span: SpanJson): string | undefined => {
  const text = (key: string) => {
    const value = span.attributes.find((attribute) => attribute.key === key)?.value
    return typeof value === "string" && value !== "" ? value : undefined
  }
  return text(toolspanCallKey) ?? text(genAiToolCallId)
}

/** Attributes, events, links both ways. */
export const SpanDetail = ({ onClose, span }: { readonly span: SpanJson; readonly onClose?: () => void }) => {
  const call = callOf(span)
  return (
    <section class="detail" aria-label="Span">
      <header>
        <h3>
          <Inert text={span.name} max={200} />
        </h3>
        <span class="actions">
          <Copy
            label="Copy JSON"
            text={() => JSON.stringify(span, null, 2)}
            what="the span as JSON"
          />
          {onClose !== undefined && <button type="button" class="copy" onClick={onClose} aria-label="Close">×</button>}
        </span>
      </header>
      <p class="faint facts">
        {span.service !== undefined && (
          <>
            <Inert text={span.service} max={80} /> ·{" "}
          </>
        )}
        {Time.day(span.start)} {Time.clock(span.start)} · {Time.duration(span.durationMillis)} · span {span.spanId}
      </p>
      {span.statusMessage !== undefined && (
        <p class="bad">
          <Inert text={span.statusMessage} />
        </p>
      )}
      {call !== undefined && (
        <p class="to-call">
          <a href={toCall({ key: call, traces: [span.traceId] })}>The whole call</a>
        </p>
      )}
      {span.links.length > 0 && <Links label="Links to" links={span.links} />}
      {span.linkedFrom.length > 0 && <Links label="Linked from" links={span.linkedFrom} />}
      {span.events.length > 0 && <h4>{Time.count(span.events.length, "event")}</h4>}
      {span.events.map((event, index) => (
        <details key={index} class="event" open={span.events.length < 4}>
          <summary>
            <Inert text={event.name} max={120} />
            <span class="faint">{Time.offset(Time.millisOf(event.at) - Time.millisOf(span.start))}</span>
          </summary>
          <Attributes attributes={event.attributes} />
        </details>
      ))}
      <h4>{Time.count(span.attributes.length, "attribute")}</h4>
      <Attributes attributes={span.attributes} />
    </section>
  )
}
