/** Asks for the token that the server was started with. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { advice } from "./ApiFailure.ts"
import { Empty } from "./Empty.tsx"

/** A right token is answered with a cookie: the page never keeps it. */
const show = async (token: string): Promise<"right" | "wrong" | "gone"> => {
  const answer = await fetch(`/api/stats?${new URLSearchParams({ token })}`).catch(() => undefined)
  return answer === undefined ? "gone" : answer.ok ? "right" : "wrong"
}

const problems = { wrong: "This is not the token.", gone: advice.gone.title }

/** Whether the address had a token in it, which the server would have taken were it right; it is not left there. */
const wrongInAddress = (() => {
  const address = new URL(location.href)
  if (!address.searchParams.has("token")) return false
  address.searchParams.delete("token")
  history.replaceState(history.state, "", address)
  return true
})()

/** The field for the token. */
export const TokenForm = ({ first = false }: {
  /** Whether there is nothing else to do. */
  readonly first?: boolean
}) => {
  const [problem, setProblem] = useState<keyof typeof problems | undefined>(wrongInAddress ? "wrong" : undefined)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (first) field.current?.focus()
  }, [])
  const send = async () => {
    const outcome = await show(field.current?.value.trim() ?? "")
    if (outcome === "right") location.reload()
    else setProblem(outcome)
  }
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <input ref={field} type="password" name="token" aria-label="Token" autocomplete="current-password" required />
      <button type="submit" class="button">Go on</button>
      {problem !== undefined && <p class="bad" role="alert">{problems[problem]}</p>}
    </form>
  )
}

/** In place of all views. */
export const Login = () => (
  <main>
    <Empty title={advice.login.title}>
      <p>{advice.login.remedy}</p>
      <TokenForm first />
    </Empty>
  </main>
)
