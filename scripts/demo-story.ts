// The demo itself, on Node 24: an assistant that knows nothing of toolspan is run with it, against a replay of the model's
// service, and the local backend tells what became of each tool call.
import { spawn, spawnSync } from "node:child_process"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { script } from "../examples/demo/script.ts"
import { replay } from "../examples/replay/server.ts"
import { startBackend } from "./demo-backend.ts"
import { demo, root } from "./demo-install.mjs"

const { values: options } = parseArgs({ options: { keep: { type: "boolean" }, otlp: { type: "string" } } })

const cli = path.join(root, "dist/cli/main.js")
const data = path.join(root, ".cache/demo")

const print = (text: string) => process.stdout.write(`${text}\n`)
const heading = (text: string) => print(`\n── ${text} ${"─".repeat(Math.max(0, 96 - text.length))}\n`)

/** The app's environment: the caller's, less what would send its spans elsewhere or nowhere. */
const appEnvironment = (endpoint: string, service: Readonly<Record<string, string>>) => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      !/^(OTEL_EXPORTER_|OTEL_TRACES_|OTEL_SDK_DISABLED$|TOOLSPAN_DISABLED$)/.test(name)
    )
  ),
  OTEL_SERVICE_NAME: "assistant",
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  ...service
})

const runAssistant = async (endpoint: string, service: Readonly<Record<string, string>>): Promise<void> => {
  const app = spawn(process.execPath, ["--import", "toolspan/register", "assistant.ts"], {
    cwd: demo,
    env: appEnvironment(endpoint, service),
    stdio: "inherit"
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    app.once("error", reject)
    app.once("exit", resolve)
  })
  if (code !== 0) throw new Error(`The assistant ended with code ${code}.`)
}

/** Runs the real command; with "inherit" its words go straight to the terminal, in its colours and width. */
const toolspan = (args: ReadonlyArray<string>, output: "inherit" | "pipe"): string => {
  const done = spawnSync(process.execPath, [cli, ...args, "--data", data], {
    encoding: "utf8",
    stdio: ["ignore", output, "pipe"]
  })
  if (done.status !== 0) throw new Error(`toolspan ${args.join(" ")} failed:\n${done.stderr}`)
  return done.stdout
}

interface Call {
  readonly key: string
  readonly tool: string
}

/** Tells every call, oldest first; answers the last one. */
const tellStory = (): Call | undefined => {
  const calls = toolspan(["find", "--json"], "pipe").trim().split("\n")
    .map((line) => JSON.parse(line) as Call)
  heading("toolspan find: every tool call")
  toolspan(["find"], "inherit")
  for (const { key, tool } of calls.toReversed()) {
    heading(`toolspan show ${key}: what became of ${tool}`)
    toolspan(["show", key], "inherit")
  }
  return calls[0]
}

const sayNext = (last: Call | undefined, kept: { readonly url: string; readonly pid: number } | undefined): void => {
  const { key = "ID", tool = "NAME" } = last ?? {}
  heading("What to try next")
  print(`alias toolspan="$PWD/node_modules/.bin/node $PWD/dist/cli/main.js"
export TOOLSPAN_DATA="$PWD/${path.relative(root, data)}"

${`toolspan find --tool ${tool}`.padEnd(40)} the calls of one tool
toolspan find --state approved --json    the calls that a human approved, for a script
${`toolspan show ${key}`.padEnd(40)} the story of one call
TOOLSPAN_CONTENT=all npm run demo        with arguments and results, which are left out unless asked for`)
  if (kept === undefined) {
    print("npm run demo -- --keep                   the same, and the backend stays for an app of your own")
    return
  }
  print(`
The backend stays. Give it to an app of your own that uses Effect's AI modules:
OTEL_EXPORTER_OTLP_ENDPOINT=${kept.url} node --import toolspan/register app.js

Stop it:
kill ${kept.pid}`)
}

const main = async (): Promise<void> => {
  const isReal = (process.env["ANTHROPIC_API_KEY"] ?? "") !== ""
  const backend = options.otlp === undefined ? await startBackend(cli, data) : undefined
  const model = isReal ? undefined : await replay({ script })
  let isStaying = false
  const stop = async () => {
    await model?.close()
    if (!isStaying) await backend?.stop()
  }
  const interrupted = () => void stop().finally(() => process.exit(130))
  process.once("SIGINT", interrupted)
  process.once("SIGTERM", interrupted)
  try {
    heading(`The assistant, talking to ${isReal ? "Anthropic" : "a replay of the Anthropic API"}`)
    const endpoint = options.otlp ?? backend?.url ?? ""
    await runAssistant(
      endpoint,
      model === undefined ? {} : { ANTHROPIC_API_KEY: "replay", ANTHROPIC_BASE_URL: model.url }
    )
    if (backend === undefined) {
      print(`\nIts spans were sent to ${endpoint}: look for the service "assistant" there.`)
      return
    }
    const last = tellStory()
    isStaying = options.keep === true
    if (isStaying) backend.keep()
    sayNext(last, isStaying ? backend : undefined)
  } finally {
    await stop()
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
