/** One call: its life, its faults, its spans. */
import { useState } from "preact/hooks"
import * as Api from "./Api.ts"
import { CallHeading } from "./CallHeading.tsx"
import { Copy } from "./Copy.tsx"
import { Empty } from "./Empty.tsx"
import { Failed, FailedNotice } from "./Failed.tsx"
import type { Live } from "./LiveUpdate.ts"
import { Faults } from "./Faults.tsx"
import { inert, Inert, InertBlock } from "./Inert.tsx"
import { useKeys } from "./Keyboard.ts"
import { Lifeline } from "./Lifeline.tsx"
import { useLoaded } from "./Loaded.ts"
import { back, go } from "./Navigation.ts"
import { type Route, toCall, toConversation, toViolations } from "./Route.ts"
import { useRowKeys } from "./RowKeys.ts"
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

const Others = ({ more, stories }: { readonly stories: ReadonlyArray<StoryJson>; readonly more: boolean }) =>
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
      {(more || stories.length > 6) && " and more"}
    </p>
  )

/** In place of a call that is not stored: a fault may name it all the same, such as a result without its call. */
const NoCall = ({ id, version }: { readonly id: string; readonly version: number }) => {
  const { failure, value } = useLoaded(id, version, (signal) => Api.violations({ id }, signal))
  if (value === undefined && failure === undefined) return null
  if (value === undefined || value.total === 0) {
    return <Failed failure={{ obstacle: "nothing", reason: id }} what="call" />
  }
  return (
    <Empty title="Only faults are known of this call">
      <p>
        {Time.count(value.total, "fault")} {value.total === 1 ? "names" : "name"} <Inert text={id} max={60} />
        . The call itself never came, or it was removed with the oldest.
      </p>
      <p>
        <a href={toViolations({ id })}>What was reported</a>
      </p>
    </Empty>
  )
}

/** The page of one call. */
export const CallView = ({ live, route }: { readonly route: CallRoute; readonly live: Live }) => {
  const loaded = useLoaded(route.key, live.version, (signal) => Api.stories(route.key, signal))
  const stories = loaded.value?.stories ?? []
  const story = stories.find((story) => meant(story, route)) ?? stories[0]
  useTitle(story === undefined ? inert(route.key, 60) : inert(story.call.tool, 60))
  useKeys({
    Escape: back,
    c: () => {
      if (story?.call.conversation !== undefined) go(toConversation(story.call.conversation))
    }
  })
  useRowKeys(".trace-part .span")
  if (story === undefined) {
    return (
      <main class="call" aria-busy={loaded.value === undefined && loaded.failure === undefined}>
        {loaded.failure !== undefined && <Failed failure={loaded.failure} what="call" />}
        {loaded.value !== undefined && <NoCall id={route.key} version={live.version} />}
      </main>
    )
  }
  return (
    <main class="call">
      {loaded.failure !== undefined && <FailedNotice failure={loaded.failure} />}
      <CallHeading story={story} />
      <Others stories={stories.filter((other) => other !== story)} more={loaded.value?.more === true} />
      <Faults violations={story.violations} />
      <Lifeline story={story} />
      <Steps story={story} />
      {story.traces.map((trace) => (
        <TracePart
          key={trace.traceId}
          traceId={trace.traceId}
          spans={trace.spans}
          hidden={trace.hidden}
          version={live.version}
        />
      ))}
      <Raw story={story} />
    </main>
  )
}
