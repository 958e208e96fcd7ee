/** All tools in figures. */
import * as Api from "./Api.ts"
import { NotConnected } from "./Empty.tsx"
import { Failed, FailedNotice } from "./Failed.tsx"
import type { Live } from "./LiveUpdate.ts"
import { Inert } from "./Inert.tsx"
import { useKeys } from "./Keyboard.ts"
import { useLoaded } from "./Loaded.ts"
import { go } from "./Navigation.ts"
import { toCalls, toViolations } from "./Route.ts"
import { useRowKeys } from "./RowKeys.ts"
import * as Time from "./Time.ts"
import { useTitle } from "./Title.ts"

const millis = (value: number | undefined) => value === undefined ? "" : Time.duration(value)

const share = (part: number, whole: number) => whole === 0 ? "" : `${Number((part / whole * 100).toPrecision(2))} %`

/** Calls, failures, durations and waits of every tool. */
export const ToolsView = ({ live }: { readonly live: Live }) => {
  const { failure, value } = useLoaded("tools", live.version, Api.tools)
  useTitle("Tools")
  useKeys({ Escape: () => go(toCalls()) })
  useRowKeys("main.tools tbody th a")
  const tools = value?.tools ?? []
  const most = Math.max(1, ...tools.map(({ calls }) => calls))
  if (tools.length === 0) {
    return (
      <main class="tools" aria-busy={value === undefined && failure === undefined}>
        {failure !== undefined && <Failed failure={failure} />}
        {value !== undefined && <NotConnected stats={live.stats} />}
      </main>
    )
  }
  return (
    <main class="tools">
      {failure !== undefined && <FailedNotice failure={failure} />}
      <header class="call-head">
        <h1>Tools</h1>
        <p class="faint">Durations are those of the newest 1,000 calls of each tool (10,000 in all).</p>
      </header>
      <div class="wide-table">
        <table>
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col" class="n wide">Calls</th>
              <th scope="col" class="n">Failed</th>
              <th scope="col" class="n">p50</th>
              <th scope="col" class="n">p95</th>
              <th scope="col" class="n" title="How long a human took to answer: half were faster, 95 in 100 were">
                Wait p50
              </th>
              <th scope="col" class="n">Wait p95</th>
              <th scope="col" class="n">Waiting now</th>
              <th scope="col" class="n">Faults</th>
            </tr>
          </thead>
          <tbody>
            {tools.map((tool) => (
              <tr key={tool.tool}>
                <th scope="row" class={tool.known ? "" : "unknown"}>
                  <a href={toCalls({ tool: tool.tool })}>
                    <Inert text={tool.tool} max={80} />
                  </a>
                </th>
                <td class="n wide">
                  <i class="share" style={{ width: `${tool.calls / most * 100}%` }} />
                  <span>{tool.calls.toLocaleString("en-US")}</span>
                </td>
                <td class={tool.failures === 0 ? "n faint" : "n bad"}>
                  {tool.failures.toLocaleString("en-US")}
                  {tool.failures > 0 && <span class="share-text">{share(tool.failures, tool.calls)}</span>}
                </td>
                <td class="n">{millis(tool.p50)}</td>
                <td class="n">{millis(tool.p95)}</td>
                <td class="n wait">{millis(tool.waitP50)}</td>
                <td class="n wait">{millis(tool.waitP95)}</td>
                <td class={tool.pending === 0 ? "n faint" : "n wait"}>
                  {tool.pending === 0
                    ? "0"
                    : (
                      <a href={toCalls({ tool: tool.tool, state: "pending" })}>
                        {tool.pending.toLocaleString("en-US")}
                      </a>
                    )}
                </td>
                <td class={tool.faults === 0 ? "n faint" : "n bad"}>
                  {tool.faults === 0
                    ? "0"
                    : <a href={toViolations({ tool: tool.tool })}>{tool.faults.toLocaleString("en-US")}</a>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </main>
  )
}
