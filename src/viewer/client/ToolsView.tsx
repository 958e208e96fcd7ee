/** All tools in figures. */
import * as Api from "./Api.ts"
import { NotConnected } from "./Empty.tsx"
import { Inert } from "./Inert.tsx"
import { useKeys } from "./Keyboard.ts"
import { useLoaded } from "./Loaded.ts"
import { go } from "./Navigation.ts"
import { toCalls } from "./Route.ts"
import * as Time from "./Time.ts"
import { useTitle } from "./Title.ts"

const millis = (value: number | undefined) => value === undefined ? "" : Time.duration(value)

const share = (part: number, whole: number) => whole === 0 ? "" : `${Number((part / whole * 100).toPrecision(2))} %`

/** Calls, failures, durations and waits of every tool. */
export const ToolsView = ({ version }: { readonly version: number }) => {
  const { failure, value } = useLoaded("tools", version, Api.tools)
  useTitle("Tools")
  useKeys({ Escape: () => go(toCalls()) })
  const tools = value?.tools ?? []
  const most = Math.max(1, ...tools.map(({ calls }) => calls))
  if (value !== undefined && tools.length === 0) {
    return (
      <main class="tools">
        <NotConnected />
      </main>
    )
  }
  return (
    <main class="tools">
      {failure !== undefined && <p class="failure" role="alert">The tools could not be loaded. {failure}</p>}
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col" class="n wide">Calls</th>
            <th scope="col" class="n">Failed</th>
            <th scope="col" class="n">p50</th>
            <th scope="col" class="n">p95</th>
            <th scope="col" class="n">Approval wait</th>
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
                {tool.failures === 0
                  ? "0"
                  : (
                    <a href={toCalls({ tool: tool.tool, outcome: "failure" })}>
                      {tool.failures.toLocaleString("en-US")}{" "}
                      <span class="faint">{share(tool.failures, tool.calls)}</span>
                    </a>
                  )}
              </td>
              <td class="n">{millis(tool.p50)}</td>
              <td class="n">{millis(tool.p95)}</td>
              <td class="n">{millis(tool.waitP50)}</td>
              <td class={tool.faults === 0 ? "n faint" : "n bad"}>{tool.faults.toLocaleString("en-US")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  )
}
