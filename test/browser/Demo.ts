/** Runs the demo's assistant as its users do, against a replay of the model's service. */
import { spawn } from "node:child_process"
import { replay } from "../../examples/replay/server.ts"
import { demo, environment } from "../../scripts/demo-install.mjs"
import type { Conversation } from "./demoConversations.ts"

/** Where its traces go is said here alone. */
const ownEnvironment = () =>
  Object.fromEntries(Object.entries(environment()).filter(([name]) => !/^(OTEL_|TOOLSPAN_|ANTHROPIC_)/.test(name)))

/** Has one conversation and sends its traces to this address; resolves when the program has ended. */
export const talk = async ({ leaves = false, script }: Conversation, endpoint: string): Promise<void> => {
  await using model = await replay({ script, gap: 12 })
  const app = spawn(process.execPath, ["--import", "toolspan/register", "assistant.ts"], {
    cwd: demo,
    env: {
      ...ownEnvironment(),
      OTEL_SERVICE_NAME: "assistant",
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      TOOLSPAN_CONTENT: "all",
      ANTHROPIC_API_KEY: "replay",
      ANTHROPIC_BASE_URL: model.url
    },
    stdio: ["ignore", "pipe", "ignore"]
  })
  app.stdout.setEncoding("utf8").on("data", (said: string) => {
    if (leaves && said.includes("the human thinks")) app.kill("SIGTERM")
  })
  await new Promise((resolve, reject) => {
    app.once("error", reject)
    app.once("exit", resolve)
  })
}
