/** What the page says when an answer did not come. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { advice, type ApiFailure, type Obstacle } from "./ApiFailure.ts"
import { Empty } from "./Empty.tsx"
import { Inert } from "./Inert.tsx"
import { TokenForm } from "./Login.tsx"
import { toCalls } from "./Route.ts"

/** What the page says above every view: the view does not say it again. */
export const Told = createContext<Obstacle | undefined>(undefined)

const Reason = ({ failure: { reason, status } }: { readonly failure: ApiFailure }) =>
  reason === undefined && status === undefined ? null : (
    <span class="faint">
      {status !== undefined && `${status} `}
      {reason !== undefined && <Inert text={reason} max={300} />}
    </span>
  )

/** In place of a view that has nothing to show. */
export const Failed = ({ failure, what }: {
  readonly failure: ApiFailure
  /** What was asked for, when it can be that it is not there. */
  readonly what?: string
}) => {
  const { remedy, title } = advice[failure.obstacle]
  if (useContext(Told) === failure.obstacle) return null
  return (
    <div role="alert">
      <Empty title={failure.obstacle === "nothing" && what !== undefined ? `No such ${what}` : title}>
        <p>{remedy}</p>
        <p>
          <Reason failure={failure} />
        </p>
        {failure.obstacle === "login" && <TokenForm />}
        {(failure.obstacle === "nothing" || failure.obstacle === "wrong") && (
          <p>
            <a href={toCalls()}>Show all calls</a>
          </p>
        )}
      </Empty>
    </div>
  )
}

/** Above a view whose content is no longer the newest. */
export const FailedNotice = ({ failure }: { readonly failure: ApiFailure }) => {
  const { remedy, title } = advice[failure.obstacle]
  if (useContext(Told) === failure.obstacle) return null
  return (
    <div class="notice" role="alert">
      <strong>{title}</strong> {remedy} <Reason failure={failure} />
      {failure.obstacle === "login" && <TokenForm />}
    </div>
  )
}
