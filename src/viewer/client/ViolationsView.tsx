/** All faults: which kinds there are, and each with the call that it names. */
import { useEffect, useState } from "preact/hooks"
import * as Api from "./Api.ts"
import { type ApiFailure, failureOf } from "./ApiFailure.ts"
import { Empty } from "./Empty.tsx"
import { Failed, FailedNotice } from "./Failed.tsx"
import { KindList } from "./KindList.tsx"
import { useKeys } from "./Keyboard.ts"
import type { Live } from "./LiveUpdate.ts"
import { useLoaded } from "./Loaded.ts"
import { go } from "./Navigation.ts"
import { type FaultFilter, toCalls, toViolations } from "./Route.ts"
import { useRowKeys } from "./RowKeys.ts"
import * as Time from "./Time.ts"
import { useTitle } from "./Title.ts"
import { ViolationRow } from "./ViolationRow.tsx"
import { Inert } from "./Inert.tsx"
import type { ListedViolationJson } from "./Wire.ts"

interface Older {
  readonly violations: ReadonlyArray<ListedViolationJson>
  readonly next?: string | undefined
  readonly failure?: ApiFailure
}

/** Pages below the first; they stay as they are until the filter changes. */
const useOlder = (key: string, filter: FaultFilter) => {
  const [older, setOlder] = useState<Older>()
  useEffect(() => setOlder(undefined), [key])
  const more = (cursor: string) =>
    void Api.violations({ ...filter, cursor }).then(
      ({ next, violations }) =>
        setOlder((before) => ({ violations: [...before?.violations ?? [], ...violations], next })),
      (cause: unknown) => setOlder((before) => ({ violations: [], next: cursor, ...before, failure: failureOf(cause) }))
    )
  return { older, more }
}

const chipNames = ["tool", "conversation", "id"] as const

const Chips = ({ filter }: { readonly filter: FaultFilter }) => (
  <p class="chips">
    {chipNames.map((name) => {
      const { [name]: value, ...rest } = filter
      return value === undefined ?
        null :
        (
          <a key={name} class="chip" href={toViolations(rest)} aria-label={`Do not narrow by ${name}`}>
            <span>{name}</span>
            <Inert text={value} max={60} />
            <span aria-hidden="true">×</span>
          </a>
        )
    })}
  </p>
)

/** The page of faults. */
export const ViolationsView = ({ filter, live }: { readonly filter: FaultFilter; readonly live: Live }) => {
  const key = toViolations(filter)
  const { failure, value } = useLoaded(key, live.version, (signal) => Api.violations(filter, signal))
  const { more, older } = useOlder(key, filter)
  const narrowed = Object.keys(filter).length > 0
  useTitle("Faults")
  useKeys({ Escape: () => go(narrowed ? toViolations() : toCalls()) })
  useRowKeys(".violation p:first-child a")
  if (value === undefined) {
    return <main class="violations" aria-busy={failure === undefined}>{failure && <Failed failure={failure} />}</main>
  }
  const first = value.violations
  const known = new Set(first.map(({ at, key = "", kind, span }) => `${at} ${span.spanId} ${kind} ${key}`))
  const rest = (older?.violations ?? []).filter(({ at, key = "", kind, span }) =>
    !known.has(`${at} ${span.spanId} ${kind} ${key}`)
  )
  const next = older === undefined ? value.next : older.next
  return (
    <main class="violations">
      {failure !== undefined && <FailedNotice failure={failure} />}
      <header class="call-head">
        <h1>Faults</h1>
        <p class="faint">
          Calls, results and approvals that do not fit together, as the apps reported them.
        </p>
      </header>
      {value.kinds.length === 0
        ? (
          <Empty title="No fault was reported">
            <p>
              toolspan checks every history that goes to a model, and every response. What does not pair up is told
              here, with what to do.
            </p>
          </Empty>
        )
        : (
          <>
            <KindList kinds={value.kinds} filter={filter} />
            <Chips filter={filter} />
            {value.violations.length === 0 && <p class="faint none">No fault fits.</p>}
            <ul class="violation-rows" aria-label="Faults, the newest first">
              {[...first, ...rest].map((violation, index) => (
                <ViolationRow key={`${index} ${violation.span.spanId}`} violation={violation} />
              ))}
            </ul>
            {next !== undefined && (
              <button type="button" class="button" onClick={() => more(next)}>Show older ones</button>
            )}
            {older?.failure !== undefined && <FailedNotice failure={older.failure} />}
            <p class="list-end">{Time.count(value.total, "fault")}</p>
          </>
        )}
    </main>
  )
}
