// `npm run demo`: installs and builds what is missing, then tells the story of real tool calls (demo-story.ts).
// Plain JavaScript that needs nothing installed: it is the first thing that runs in a fresh clone, on any Node from 20.
import { spawn } from "node:child_process"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { environment, installDemo, installProject, node, root } from "./demo-install.mjs"

const usage = `npm run demo [-- options]

  --keep        leave the local backend running, to look around in it
  --otlp URL    send the spans to this OTLP/HTTP endpoint instead of a local backend
  --help        this text

With ANTHROPIC_API_KEY set the assistant talks to the real service (ANTHROPIC_MODEL picks the model); without it to a
replay on this machine.
`

const fail = (message, code) => {
  process.stderr.write(`\n${message}\n`)
  process.exit(code)
}

const parse = () => {
  try {
    const { values } = parseArgs({
      options: { keep: { type: "boolean" }, otlp: { type: "string" }, help: { type: "boolean" } }
    })
    if (values.otlp !== undefined && !/^https?:$/.test(new URL(values.otlp).protocol)) {
      throw new Error("--otlp wants a http URL")
    }
    if (values.otlp !== undefined && values.keep) {
      throw new Error("--keep keeps the local backend, which --otlp does without")
    }
    return values
  } catch (error) {
    return fail(`${error.message}\n\n${usage}`, 2)
  }
}

const options = parse()
if (options.help) {
  process.stdout.write(usage)
  process.exit(0)
}

try {
  const say = (step) => process.stdout.write(`· ${step}\n`)
  installProject(say)
  installDemo(say)
} catch (error) {
  fail(error.message, 1)
}

const story = spawn(node, [path.join(root, "scripts/demo-story.ts"), ...process.argv.slice(2)], {
  cwd: root,
  env: environment(),
  stdio: "inherit"
})
// Ctrl-C reaches the story by itself; whoever ends this process alone means the story.
process.on("SIGINT", () => {})
process.on("SIGTERM", () => story.kill("SIGTERM"))
story.on("error", (error) => fail(error.message, 1))
story.on("exit", (code) => process.exit(code ?? 1))
