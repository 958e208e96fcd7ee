/** What the page says when it has nothing to show. */
import type { ComponentChildren } from "preact"
import { Copy } from "./Copy.tsx"
import * as Time from "./Time.ts"
import type { StatsJson } from "./Wire.ts"

/** A calm sentence in the middle of the page. */
export const Empty = ({ children, title }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <section class="empty">
    <h1>{title}</h1>
    {children}
  </section>
)

const Command = ({ text }: { readonly text: string }) => (
  <div class="command">
    <code>{text}</code>
    <Copy text={text} what="the command" />
  </div>
)

/** The port that exporters use unless told otherwise. */
const standardPort = "4318"

/** An address that other machines reach wants a token with every request. */
const own = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

/** Traces arrive, but no tool call is told in them. */
const OnlySpans = ({ stats }: { readonly stats: StatsJson }) => (
  <Empty title="Spans arrive, but no tool call yet">
    <p>
      {Time.count(stats.spans, "span")} of {Time.count(stats.traces, "trace")}{" "}
      are here. A tool call is told by toolspan, not by OpenTelemetry: the app has to load it, and a model has to ask
      for a tool.
    </p>
    <p>This says what is in place, and what is missing:</p>
    <Command text="toolspan doctor -- node app.js" />
    <p class="faint">This page listens. There is nothing to reload.</p>
  </Empty>
)

/** What to do when a team's store has no call in the time that is looked at. */
export const NothingFound = () => (
  <Empty title="No tool call in this store">
    <p>Of the last days, that is: the address that toolspan dev was given can name more of them.</p>
    <Command text={`toolspan dev --backend "tempo=URL?days=30"`} />
  </Empty>
)

/** How to connect an app, when no call has arrived yet. */
export const NotConnected = ({ stats }: { readonly stats: StatsJson | undefined }) => {
  if (stats !== undefined && stats.spans > 0) return <OnlySpans stats={stats} />
  const endpoint = location.port === standardPort ? "" : `OTEL_EXPORTER_OTLP_ENDPOINT=${location.origin} `
  return (
    <Empty title="Waiting for the first tool call">
      <p>Start an app that uses Effect's AI modules with toolspan registered. Its calls appear here as they happen.</p>
      <Command text={`${endpoint}node --import toolspan/register app.js`} />
      <p>An app that has OpenTelemetry set up already needs one line at its start, and this address for its traces:</p>
      <Command text={`import "toolspan/auto"`} />
      <Command text={`${location.origin}/v1/traces`} />
      {!own.test(location.hostname) && (
        <>
          <p>This address wants its token from every app:</p>
          <Command text="OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20TOKEN" />
        </>
      )}
      <p class="faint">This page listens. There is nothing to reload.</p>
    </Empty>
  )
}
