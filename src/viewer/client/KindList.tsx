/** The kinds of faults that there are: how many of each, what it means, and what to do. */
import { Inert } from "./Inert.tsx"
import { words } from "./Look.ts"
import { remedy } from "./Remedy.ts"
import { type FaultFilter, toCalls, toViolations } from "./Route.ts"
import type { KindJson } from "./Wire.ts"

const canBeAsked = (kind: string): boolean => kind === "unknown" || remedy(kind) !== undefined

/** Each kind narrows the list to itself, and back. */
export const KindList = ({ filter, kinds }: {
  readonly kinds: ReadonlyArray<KindJson>
  readonly filter: FaultFilter
}) => {
  const { kind: chosen, ...rest } = filter
  const known = kinds.find(({ kind }) => kind === chosen)
  return (
    <>
      <ul class="kinds" aria-label="Kinds of faults">
        {kinds.toSorted((a, b) => b.count - a.count).map(({ count, kind }) => (
          <li key={kind}>
            <a
              class={kind === chosen ? "kind set" : "kind"}
              // The server is not asked for the kind of a newer version: it knows no such word.
              href={toViolations(kind === chosen || !canBeAsked(kind) ? rest : { ...rest, kind })}
              aria-current={kind === chosen ? "true" : undefined}
            >
              <Inert text={words(kind)} max={60} />
              <span class="count">{count.toLocaleString("en-US")}</span>
            </a>
          </li>
        ))}
      </ul>
      {known !== undefined && (
        <section class="kind-text fault">
          <p class="fault-text">{known.explanation}</p>
          <p class="fault-advice">{remedy(known.kind)}</p>
          <p class="facts">
            <a href={toCalls({ violation: known.kind })}>The calls that have it</a>
          </p>
        </section>
      )}
    </>
  )
}
