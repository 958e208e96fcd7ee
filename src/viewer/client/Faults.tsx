/** Pairing faults: what is wrong, and what to do. */
import { Inert } from "./Inert.tsx"
import { words } from "./Look.ts"
import { remedy } from "./Remedy.ts"
import { toCalls, toTrace } from "./Route.ts"
import * as Time from "./Time.ts"
import type { ViolationJson } from "./Wire.ts"

/** Faults that say the same are one entry. */
const gathered = (violations: ReadonlyArray<ViolationJson>): ReadonlyArray<ReadonlyArray<ViolationJson>> => {
  const groups = new Map<string, Array<ViolationJson>>()
  for (const violation of violations) {
    const { approvalId, kind, otherName, scope } = violation
    const key = JSON.stringify([kind, scope, otherName, approvalId])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [violation])
    else group.push(violation)
  }
  return [...groups.values()]
}

const Fault = ({ violations }: { readonly violations: ReadonlyArray<ViolationJson> }) => {
  const first = violations[0]!
  const advice = remedy(first.kind)
  return (
    <li class="fault">
      <p class="fault-text">{first.explanation}</p>
      {advice !== undefined && <p class="fault-advice">{advice}</p>}
      <p class="faint facts">
        <a href={toCalls({ violation: first.kind })}>
          <code>
            <Inert text={first.kind} max={60} />
          </code>
        </a>
        {first.scope !== undefined && (
          <>
            {" "}· in the <Inert text={words(first.scope)} max={60} />
          </>
        )}
        {first.otherName !== undefined && (
          <>
            {" "}· the other name is{" "}
            <code>
              <Inert text={first.otherName} max={80} />
            </code>
          </>
        )}
        {first.approvalId !== undefined && (
          <>
            {" "}· approval{" "}
            <code>
              <Inert text={first.approvalId} max={80} />
            </code>
          </>
        )}
        {first.truncated === true && " · the arguments were cut off"} · told by{" "}
        <a href={toTrace(first.span.traceId, first.span.spanId)}>
          <Inert text={first.span.name} max={80} />
        </a>
        {violations.length > 1 && ` and ${Time.count(violations.length - 1, "later request")}`}
      </p>
    </li>
  )
}

/** All faults of a call. */
export const Faults = ({ violations }: { readonly violations: ReadonlyArray<ViolationJson> }) =>
  violations.length === 0 ? null : (
    <ul class="fault-list" aria-label="Faults">
      {gathered(violations).map((group, index) => <Fault key={index} violations={group} />)}
    </ul>
  )
