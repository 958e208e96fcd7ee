// Writes what Grafana and Prometheus load: `node dashboards/build.ts`. With `--check` it writes nothing and fails when a
// file is not what it would be; with `--runbook URL` the alerts point to a copy of RUNBOOK.md at that address.
import * as fs from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { grafanaRules, type PanelId, prometheusRules } from "./alerting.ts"
import { dashboard as approvals } from "./approvals.ts"
import { make } from "./dashboard.ts"
import { dataSources } from "./dataSources.ts"
import { dashboard as findToolCall } from "./findToolCall.ts"
import { exclusions, panelsOf } from "./lint.ts"
import { dashboard as pairing } from "./pairing.ts"
import { dashboard as pipeline } from "./pipeline.ts"
import { dashboard as toolCalls } from "./toolCalls.ts"

const { values } = parseArgs({ options: { check: { type: "boolean" }, runbook: { type: "string" } } })

const dashboards = [toolCalls, findToolCall, approvals, pairing, pipeline].map(make)
const panelId: PanelId = (rule) => {
  const board = dashboards.find(({ uid }) => uid === rule.dashboard)
  const panel = board === undefined ? undefined : panelsOf(board).find(({ title }) => title === rule.panel)
  if (panel?.id === undefined) throw new Error(`${rule.name}: ${rule.dashboard} has no panel "${rule.panel}"`)
  return panel.id
}

const generated = "# Written by dashboards/build.ts: change rules.ts or queries.ts, then run it.\n"

const files: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    dashboards.map((dashboard) => [`out/${dashboard.uid}.json`, `${JSON.stringify(dashboard, undefined, 2)}\n`])
  ),
  "out/.lint": `${generated}${exclusions(dashboards)}`,
  "out/rules/toolspan.yml": `${generated}${prometheusRules(values.runbook)}`,
  "provisioning/datasources/toolspan.yaml": `${generated}${dataSources}`,
  "provisioning/alerting/toolspan.yaml": `${generated}${grafanaRules(panelId, values.runbook)}`
}

const stale: Array<string> = []
for (const [name, content] of Object.entries(files)) {
  const file = path.join(import.meta.dirname, name)
  if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === content) continue
  stale.push(name)
  if (values.check === true) continue
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, content)
}

const known = new Set(Object.keys(files))
const left = fs.readdirSync(path.join(import.meta.dirname, "out"), { recursive: true, encoding: "utf8" })
  .map((name) => `out/${name.replaceAll(path.sep, "/")}`)
  .filter((name) => /\.[^/]+$/.test(name) && !known.has(name))

const problems = [
  ...(values.check === true ? stale.map((name) => `${name} is not what its source makes`) : []),
  ...left.map((name) => `${name} has no source`)
]
if (problems.length > 0) {
  process.stderr.write(`dashboards: ${problems.join("; ")}. Run: node dashboards/build.ts\n`)
  process.exit(1)
}
process.stdout.write(values.check === true ? "dashboards: up to date\n" : `dashboards: ${stale.length} written\n`)
