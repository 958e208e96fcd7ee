/** Asks for the token that the server was started with. */
import { useState } from "preact/hooks"
import { advice } from "./ApiFailure.ts"
import { Empty } from "./Empty.tsx"

/** A right token is answered with a cookie: the page never keeps it. */
const show = async (token: string): Promise<"right" | "wrong" | "gone"> => {
  const answer = await fetch(`/api/stats?${new URLSearchParams({ token })}`).catch(() => undefined)
  return answer === undefined ? "gone" : answer.ok ? "right" : "wrong"
}

const problems = { wrong: "This is not the token.", gone: advice.gone.title }

/** In place of all views. */
export const Login = () => {
  const [problem, setProblem] = useState<keyof typeof problems>()
  const send = async (field: FormDataEntryValue | null) => {
    const outcome = await show(typeof field === "string" ? field.trim() : "")
    if (outcome === "right") location.reload()
    else setProblem(outcome)
  }
  return (
    <main class="login">
      <Empty title={advice.login.title}>
        <p>{advice.login.remedy}</p>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void send(new FormData(event.currentTarget).get("token"))
          }}
        >
          <input type="password" name="token" aria-label="Token" autocomplete="current-password" required />
          <button type="submit" class="button">Go on</button>
        </form>
        {problem !== undefined && <p class="bad" role="alert">{problems[problem]}</p>}
      </Empty>
    </main>
  )
}
