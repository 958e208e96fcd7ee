/** One call: its life, its faults, its spans. */
import { useState } from "preact/hooks"
import * as Api from "./Api.ts"
import { Copy } from "./Copy.tsx"
import { Empty } from "./Empty.tsx"
import { Faults } from "./Faults.tsx"
import { inert, Inert, InertBlock } from "./Inert.tsx"
import { useKeys } from "./Keyboard.ts"
import { Lifeline } from "./Lifeline.tsx"
import { useLoaded } from "./Loaded.ts"
import { tone, words } from "./Look.ts"
import { go } from "./Navigation.ts"
import { type Route, toCall, toCalls, toConversation } from "./Route.ts"
import { Steps } from "./Steps.tsx"
import * as Time from "./Time.ts"
import { TracePart } from "./TracePart.tsx"
import { useTitle } from "./Title.ts"
import type { StoryJson } from "./Wire.ts"

type CallRoute = Extract<Route, { readonly view: "call" }>

/** Whether the address means this one of the calls that share the key. */
const meant = ({ call }: StoryJson, { conversation, trace }: CallRoute): boolean =>
  (conversation === undefined || call.conversation === conversation)
  && (trace === undefined || call.traces.includes(trace))

/** As a shell takes it. */
const quoted = (text: string): string => /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const Heading = ({ story }: { readonly story: StoryJson }) => {
  const { call, violations } = story
  const asked = call.state !== undefined && call.state !== "not_required"
  const model = story.decisions[0]?.model ?? call.model
  return (
    <header class="call-head">
      <div class="call-title">
        <h1 class={call.known ? "" : "unknown"}>
          <Inert text={call.tool} max={120} />
        </h1>
        {asked && (
          <span class={`badge ${tone(call.state)}`}>
            <Inert text={words(call.state ?? "")} max={40} />
          </span>
        )}
        {call.outcome !== undefined && call.outcome !== call.state && (
          <span class={`badge ${tone(call.outcome)}`}>
            <Inert text={words(call.outcome)} max={40} />
          </span>
        )}
        {violations.length > 0 && <span class="badge bad">{Time.count(violations.length, "fault")}</span>}
        <span class="actions">
          <Copy label="Copy id" text={call.id ?? call.key} what="the id" />
          <Copy label="Copy link" text={() => location.origin + toCall(call)} what="the address of this page" />
          <Copy
            label="Copy command"
            text={`toolspan show ${quoted(call.id ?? call.key)}`}
            what="the command that shows this call"
          />
        </span>
      </div>
      <dl class="call-facts">
        <div>
          <dt>Id</dt>
          <dd class="mono">
            {call.id === undefined ? <span class="faint">none</span> : <Inert text={call.id} max={120} />}
          </dd>
        </div>
        {call.key !== call.id && (
          <div>
            <dt>Key</dt>
            <dd class="mono">
              <Inert text={call.key} max={120} />
            </dd>
          </div>
        )}
        {call.conversation !== undefined && (
          <div>
            <dt>Conversation</dt>
            <dd>
              <a href={toConversation(call.conversation)}>
                <Inert text={call.conversation} max={80} />
              </a>
            </dd>
          </div>
        )}
        {call.agent !== undefined && (
          <div>
            <dt>Agent</dt>
            <dd>
              <Inert text={call.agent} max={80} />
            </dd>
          </div>
        )}
        {model !== undefined && (
          <div>
            <dt>Model</dt>
            <dd>
              <Inert text={model} max={80} />
            </dd>
          </div>
        )}
        {call.services.length > 0 && (
          <div>
            <dt>Service</dt>
            <dd>
              {call.services.map((service, index) => (
                <>
                  {index > 0 && ", "}
                  <a href={toCalls({ service })}>
                    <Inert text={service} max={60} />
                  </a>
                </>
              ))}
            </dd>
          </div>
        )}
        <div>
          <dt>When</dt>
          <dd>{Time.day(call.startedAt, true)}, {Time.clock(call.startedAt)}</dd>
        </div>
      </dl>
    </header>
  )
}

const Raw = ({ story }: { readonly story: StoryJson }) => {
  const [open, setOpen] = useState(false)
  return (
    <details class="raw" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Raw JSON</summary>
      {open && (
        <div class="content">
          <div class="content-head">
            <span>what toolspan show --json prints</span>
            <Copy text={() => JSON.stringify(story, null, 2)} what="the JSON" />
          </div>
          <pre><InertBlock text={JSON.stringify(story, null, 2)} max={200_000} /></pre>
        </div>
      )}
    </details>
  )
}

const Others = ({ stories }: { readonly stories: ReadonlyArray<StoryJson> }) =>
  stories.length === 0 ? null : (
    <p class="others">
      {Time.count(stories.length, "other call")} with this id: {stories.slice(0, 6).map(({ call }, index) => (
        <>
          {index > 0 && ", "}
          <a href={toCall(call)}>
            <Inert text={call.conversation ?? `${call.tool} at ${Time.clock(call.startedAt)}`} max={60} />
          </a>
        </>
      ))}
    </p>
  )

/** The page of one call. */
export const CallView = ({ route, version }: { readonly route: CallRoute; readonly version: number }) => {
  const loaded = useLoaded(`${route.key} `, version, (signal) => Api.stories(route.key, signal))
  const stories = loaded.value?.stories ?? []
  const story = stories.find((story) => meant(story, route)) ?? stories[0]
  useTitle(story === undefined ? inert(route.key, 60) : inert(story.call.tool, 60))
  useKeys({
    Escape: () => history.length > 1 ? history.back() : go(toCalls()),
    c: () => {
      if (story?.call.conversation !== undefined) go(toConversation(story.call.conversation))
    }
  })
  if (story === undefined) {
    if (loaded.value === undefined && loaded.failure === undefined) return <main class="call" aria-busy="true" />
    return (
      <main class="call">
        <Empty title="No such call">
          <p>
            <code>
              <Inert text={route.key} max={120} />
            </code>{" "}
            is not in this store. {loaded.failure}
          </p>
          <p>
            <a href={toCalls()}>Show all calls</a>
          </p>
        </Empty>
      </main>
    )
  }
  return (
    <main class="call">
      <Heading story={story} />
      <Others stories={stories.filter((other) => other !== story)} />
      <Faults violations={story.violations} />
      <Lifeline story={story} />
      <Steps story={story} />
      {story.traces.map((trace) => (
        <TracePart
          key={trace.traceId}
          traceId={trace.traceId}
          spans={trace.spans}
          hidden={trace.hidden}
          version={version}
        />
      ))}
      <Raw story={story} />
    </main>
  )
}
