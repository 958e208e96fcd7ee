/** The page. */
import { render } from "preact"
import { useEffect, useState } from "preact/hooks"
import { CallList } from "./CallList.tsx"
import { CallView } from "./CallView.tsx"
import { ConversationView } from "./ConversationView.tsx"
import { Empty } from "./Empty.tsx"
import { FailedNotice, Told } from "./Failed.tsx"
import { KeySheet } from "./KeySheet.tsx"
import { useKeys } from "./Keyboard.ts"
import { Login } from "./Login.tsx"
import { type Connection, type Live, useLive } from "./LiveUpdate.ts"
import { followLinks, go, useRoute } from "./Navigation.ts"
import { type Route, toCalls, toViolations } from "./Route.ts"
import * as Theme from "./Theme.ts"
import { Stored } from "./Stored.tsx"
import { ToolsView } from "./ToolsView.tsx"
import { TraceView } from "./TraceView.tsx"
import { ViolationsView } from "./ViolationsView.tsx"

const View = ({ live, route }: { readonly route: Route; readonly live: Live }) => {
  switch (route.view) {
    case "calls":
      return <CallList filter={route.filter} live={live} />
    case "call":
      return <CallView route={route} live={live} />
    case "trace":
      return <TraceView route={route} live={live} />
    case "conversation":
      return <ConversationView id={route.id} live={live} />
    case "tools":
      return <ToolsView live={live} />
    case "violations":
      return <ViolationsView filter={route.filter} live={live} />
    case "unknown":
      return (
        <main>
          <Empty title="There is no such page">
            <p>
              <a href={toCalls()}>Show all calls</a>
            </p>
          </Empty>
        </main>
      )
  }
}

const connectionText: Readonly<Record<Connection, string>> = {
  connecting: "Connecting",
  live: "Live",
  lost: "Not connected",
  silent: "Reload for news"
}

const Page = () => {
  const route = useRoute()
  const [paused, setPaused] = useState(false)
  const [sheet, setSheet] = useState(false)
  const [theme, setTheme] = useState(Theme.chosen)
  const live = useLive(paused)
  const { connection, failure } = live
  const told = paused || failure?.obstacle === "login" ? undefined : failure
  const shown = route.view === "call" ? route.key : "id" in route ? route.id : ""
  useEffect(() => {
    // The list knows where it was left.
    if (route.view !== "calls") scrollTo({ top: 0, behavior: "instant" })
  }, [route.view, shown])
  const turnTheme = () => {
    const next = Theme.after(theme)
    Theme.choose(next)
    setTheme(next)
  }
  useKeys({
    "/": () => {
      const search = () => document.getElementById("search")?.focus()
      if (route.view === "calls") return search()
      go(toCalls())
      // The list is drawn in a microtask that is queued already.
      queueMicrotask(search)
    },
    "?": () => setSheet(true),
    g: () => go(toCalls()),
    t: () => go("/tools"),
    f: () => go(toViolations()),
    p: () => setPaused(!paused),
    d: turnTheme
  })
  const current = (view: Route["view"]) => route.view === view ? { "aria-current": "page" as const } : {}
  return (
    <>
      <nav class="top" aria-label="Main">
        <a class="mark-name" href={toCalls()}>
          <span aria-hidden="true" class="logo">
            <i />
            <i />
            <i />
          </span>toolspan
        </a>
        <a href={toCalls()} {...current("calls")}>Calls</a>
        <a href="/tools" {...current("tools")}>Tools</a>
        <a href={toViolations()} {...current("violations")}>Faults</a>
        <span class="space" />
        {live.stats !== undefined && <Stored stats={live.stats} />}
        <button
          type="button"
          disabled={connection === "silent"}
          class={`live ${paused ? "paused" : connection}`}
          onClick={() => setPaused(!paused)}
          aria-pressed={paused}
        >
          {paused ? "Paused" : connectionText[connection]}
        </button>
        <button type="button" onClick={turnTheme} aria-label={`Theme: ${theme}`} title="Light, dark, as the system">
          {theme === "system" ? "Auto" : theme === "light" ? "Light" : "Dark"}
        </button>
        <button type="button" onClick={() => setSheet(true)} aria-label="Keys">?</button>
      </nav>
      {told !== undefined && <FailedNotice failure={told} />}
      <Told.Provider value={told?.obstacle}>
        {failure?.obstacle === "login" ? <Login /> : <View route={route} live={live} />}
      </Told.Provider>
      {sheet && <KeySheet onClose={() => setSheet(false)} />}
    </>
  )
}

Theme.show(Theme.chosen())
history.scrollRestoration = "manual"
followLinks()
render(<Page />, document.getElementById("page")!)
