/** One conversation: its turns in order, and what each of them decided. */
import * as Api from "./Api.ts"
import { CallRow } from "./CallRow.tsx"
import { identity } from "./CallFeed.ts"
import { Empty } from "./Empty.tsx"
import { inert, Inert } from "./Inert.tsx"
import { useKeys } from "./Keyboard.ts"
import { useLoaded } from "./Loaded.ts"
import { go } from "./Navigation.ts"
import { toCalls, toTrace } from "./Route.ts"
import * as Time from "./Time.ts"
import { useTitle } from "./Title.ts"

/** A pause worth telling between two turns. */
const pause = 5000

const Turn = ({ before, turn }: { readonly turn: Api.TurnJson; readonly before: Api.TurnJson | undefined }) => {
  const gap = before === undefined ? 0 : Time.millisOf(turn.at) - Time.millisOf(before.at) - before.durationMillis
  return (
    <>
      {gap >= pause && <li class="gap">{Time.duration(gap)} later</li>}
      <li class={turn.failed ? "turn failed" : "turn"}>
        <h2>
          <a href={toTrace(turn.span.traceId, turn.span.spanId)}>
            <Inert text={turn.span.name} max={80} />
          </a>
          <span class="faint">
            {turn.model !== undefined && (
              <>
                <Inert text={turn.model} max={60} /> ·{" "}
              </>
            )}
            {Time.clock(turn.at)} · {Time.duration(turn.durationMillis)}
          </span>
        </h2>
        {turn.calls.length === 0
          ? <p class="faint">No tool was asked for.</p>
          : turn.calls.map((call) => <CallRow key={identity(call)} call={call} selected={false} />)}
      </li>
    </>
  )
}

/** The page of one conversation. */
export const ConversationView = ({ id, version }: { readonly id: string; readonly version: number }) => {
  const { failure, value } = useLoaded(id, version, (signal) => Api.conversation(id, signal))
  useTitle(inert(id, 60))
  useKeys({ Escape: () => history.length > 1 ? history.back() : go(toCalls()) })
  if (value === undefined && failure === undefined) return <main class="conversation" aria-busy="true" />
  if (value === undefined || value.turns.length === 0) {
    return (
      <main class="conversation">
        <Empty title="No such conversation">
          <p>No turn in this store names it. {failure}</p>
          <p>
            <a href={toCalls()}>Show all calls</a>
          </p>
        </Empty>
      </main>
    )
  }
  const calls = value.turns.reduce((sum, turn) => sum + turn.calls.length, 0)
  return (
    <main class="conversation">
      <header class="call-head">
        <div class="call-title">
          <h1>
            <Inert text={id} max={120} />
          </h1>
          <span class="actions">
            <a href={toCalls({ conversation: id })}>Its calls in the list</a>
          </span>
        </div>
        <p class="faint">
          {Time.count(value.turns.length, "turn")} · {Time.count(calls, "call")} · {Time.day(value.turns[0]!.at, true)}
        </p>
      </header>
      <ol class="turns">
        {value.turns.map((turn, index) => (
          <Turn key={`${turn.span.traceId} ${turn.span.spanId}`} turn={turn} before={value.turns[index - 1]} />
        ))}
      </ol>
    </main>
  )
}
