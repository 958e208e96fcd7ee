/** One conversation: its turns in order, and what each of them decided. */
import type { ComponentChildren } from "preact"
import * as Api from "./Api.ts"
import { CallRow } from "./CallRow.tsx"
import { identity } from "./CallFeed.ts"
import { Failed, FailedNotice } from "./Failed.tsx"
import type { Live } from "./LiveUpdate.ts"
import { inert, Inert } from "./Inert.tsx"
import { useKeys } from "./Keyboard.ts"
import { useLoaded } from "./Loaded.ts"
import { back } from "./Navigation.ts"
import { toCall, toCalls, toTrace } from "./Route.ts"
import { useRowKeys } from "./RowKeys.ts"
import * as Time from "./Time.ts"
import { useTitle } from "./Title.ts"
import type { CallJson, TurnJson } from "./Wire.ts"

/** A pause worth telling between two turns. */
const pause = 5000

/** Results of earlier turns that this one gave to the model. */
const Consumed = ({ calls, keys }: {
  readonly keys: ReadonlyArray<string>
  readonly calls: ReadonlyMap<string, CallJson>
}) =>
  keys.length === 0 ? null : (
    <p class="consumed">
      <span class="sign" aria-hidden="true">○</span>read the {keys.length === 1 ? "result" : "results"} of{" "}
      {keys.map((key, index): ComponentChildren => {
        const call = calls.get(key)
        return (
          <span key={key}>
            {index > 0 && ", "}
            {call === undefined ? <Inert text={key} max={60} /> : (
              <a class="mono" href={toCall(call)}>
                <Inert text={call.tool} max={60} />
              </a>
            )}
          </span>
        )
      })}
    </p>
  )

const Turn = ({ before, calls, turn }: {
  readonly turn: TurnJson
  readonly before: TurnJson | undefined
  readonly calls: ReadonlyMap<string, CallJson>
}) => {
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
        <Consumed keys={turn.consumed} calls={calls} />
        {turn.calls.length === 0
          ? <p class="faint">No tool was asked for.</p>
          : turn.calls.map((call) => <CallRow key={identity(call)} call={call} selected={false} />)}
      </li>
    </>
  )
}

/** The page of one conversation. */
export const ConversationView = ({ id, live }: { readonly id: string; readonly live: Live }) => {
  const { failure, value } = useLoaded(id, live.version, (signal) => Api.conversation(id, signal))
  useTitle(inert(id, 60))
  useKeys({ Escape: back })
  useRowKeys(".turn h2 a, .turn a.row")
  if (value === undefined) {
    return (
      <main class="conversation" aria-busy={failure === undefined}>
        {failure !== undefined && <Failed failure={failure} what="conversation" />}
      </main>
    )
  }
  const calls = new Map(value.turns.flatMap(({ calls }) => calls.map((call) => [call.key, call])))
  const amount = value.turns.reduce((sum, turn) => sum + turn.calls.length, 0)
  const first = value.turns[0]
  return (
    <main class="conversation">
      {failure !== undefined && <FailedNotice failure={failure} />}
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
          {Time.count(value.turns.length, "turn")} · {Time.count(amount, "call")}
          {first !== undefined && ` · ${Time.day(first.at, true)}`}
          {value.more && " · there is more than is shown here"}
        </p>
      </header>
      <ol class="turns">
        {value.turns.map((turn, index) => (
          <Turn
            key={`${turn.span.traceId} ${turn.span.spanId}`}
            turn={turn}
            before={value.turns[index - 1]}
            calls={calls}
          />
        ))}
      </ol>
    </main>
  )
}
