import * as api from "@opentelemetry/api"
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { script } from "../../examples/demo/script.ts"
import { assistant, converse } from "../../examples/pi-assistant.ts"
import type { ReplayRequest } from "../../examples/replay/server.ts"
import { replay } from "../../examples/replay/server.ts"
import { startBackend } from "../../scripts/demo-backend.ts"
import { demo, node, root } from "../../scripts/demo-install.mjs"
import { traceAgent } from "../../src/adapters/pi.ts"
import type { Story } from "../../src/query/Story.ts"
import * as Recorder from "../../src/recorder/index.ts"
import { installOlder } from "../journeys/installation.ts"
import * as OtelTrail from "../recorder/OtelTrail.ts"

const model = "claude-haiku-4-5"

const calls = ["toolu_calendar_7fq2", "toolu_weather_x93k", "toolu_email_m4tz"]

// What the demo itself runs; the tarball's beside the demo's older effect is the same file, and wants a newer one.
const cli = path.join(root, "dist/cli/main.js")

/** Runs a program of its own and gives what it wrote. */
const run = async (
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}
): Promise<string> => {
  const child = spawn(node, args, {
    cwd: options.cwd,
    env: { PATH: process.env["PATH"], NO_COLOR: "1", ...options.env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const read = async (stream: AsyncIterable<Buffer>) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of stream) chunks.push(chunk)
    return Buffer.concat(chunks).toString("utf8")
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", resolve)
  })
  const [output, errors, code] = await Promise.all([read(child.stdout), read(child.stderr), ended])
  assert.strictEqual(code, 0, errors)
  return output
}

/** What `toolspan show` tells of one call. */
interface Shown {
  readonly story: Story
  readonly text: string
}

/** What `toolspan show`, a process of its own, tells of each call, from what a `toolspan dev` of its own was sent. */
const show = async (folder: string, send: (url: string) => Promise<void>): Promise<ReadonlyArray<Shown>> => {
  const backend = await startBackend(cli, folder)
  try {
    await send(backend.url)
    const shown: Array<Shown> = []
    for (const id of calls) {
      const [json, text] = await Promise.all([
        run([cli, "show", id, "--json", "--data", folder]),
        run([cli, "show", id, "--data", folder], { env: { COLUMNS: "200" } })
      ])
      const stories = json.trim().split("\n").map((line): Story => JSON.parse(line))
      assert.lengthOf(stories, 1, id)
      shown.push({ story: stories[0]!, text })
    }
    return shown
  } finally {
    await backend.stop()
  }
}

/** The demo's assistant, in Effect, as a process of its own under `toolspan/register`. */
const inEffect = async (endpoint: string): Promise<void> => {
  await using server = await replay({ script })
  await run(["--import", "toolspan/register", "assistant.ts"], {
    cwd: demo,
    env: {
      ANTHROPIC_API_KEY: "replay",
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_MODEL: model,
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_SERVICE_NAME: "assistant"
    }
  })
}

interface PiRun {
  readonly requests: ReadonlyArray<ReplayRequest>
  readonly messages: string
  /** Its spans as an exporter sends them. */
  readonly body: Uint8Array | undefined
}

/** The same as a pi agent, with pi's own Anthropic code. */
const inPi = async (traced: boolean): Promise<PiRun> => {
  await using server = await replay({ script })
  const sdk = OtelTrail.make()
  const recorder = Recorder.make({ tracer: sdk.tracer, api })
  const agent = assistant({ model, baseUrl: server.url, apiKey: "replay", tracer: sdk.tracer })
  const stop = traced ? traceAgent(agent, { recorder, needsApproval: ["send_email"] }) : () => {}
  await converse(agent)
  stop()
  assert.deepStrictEqual(recorder.counts().refused, {})
  assert.strictEqual(recorder.counts().open, 0)
  const messages = JSON.stringify(
    agent.state.messages,
    (key, value: unknown) => key === "timestamp" || key === "durationMs" ? undefined : value
  )
  return { requests: server.requests, messages, body: JsonTraceSerializer.serializeRequest([...sdk.spans()]) }
}

const sendTo = async (url: string, { body }: PiRun): Promise<void> => {
  const headers = { "content-type": "application/json" }
  const { status } = await fetch(`${url}/v1/traces`, { method: "POST", headers, body: Buffer.from(body!) })
  assert.strictEqual(status, 200)
}

// Three things differ between the two programs themselves: the Effect demo asks once without streaming, it ends while the
// human thinks, and approves in a later turn; pi streams every answer and waits for the human inside of its turn.

/** What a story tells, without its times and the kind of its turns. */
const shape = ({ approvals, call, consumers, decisions, executions, results, violations }: Story) => ({
  call: [call.key, call.id, call.tool, call.known, call.state, call.outcome, call.origin, call.model],
  decisions: decisions.map((one) => [one.provider, one.model, one.incomplete]),
  approvals: approvals.map((one) => [one.event, one.state, (one.waitMillis ?? 0) > 0]),
  executions: executions.map((one) => [one.outcome, one.inside]),
  results: results.map((one) => [one.outcome, one.origin]),
  consumers: consumers.map((one) => one.model),
  violations
})

/** The lines of `toolspan show` that tell what happened, with times, traces and kinds of turns taken out. */
const told = ({ text }: Shown): string => {
  const lines = text.split("\n")
  const end = lines.findIndex((line, index) => index > 2 && line === "")
  return lines.slice(0, end === -1 ? undefined : end).join("\n")
    .replaceAll(/\d{4}-\d\d-\d\d [\d:.]+ UTC/g, "TIME")
    .replaceAll(/trace [0-9a-f]{8}/g, "TRACE")
    .replaceAll(/[\d.,]+ (?:µs|ms|s)\b/g, "SPAN")
    .replaceAll(/ · [\d,]+ bytes of arguments · streamed in \d+ pieces over SPAN/g, "")
    .replaceAll(/ · [\d,]+ bytes of arguments · streamed in \d+ pieces/g, "")
    .replaceAll(/ in a (?:generateText|streamText) turn/g, "")
    .replaceAll(/, in (?:a later turn \(TRACE\)|the same turn)/g, "")
    .replaceAll(/ \(TRACE\)/g, "")
}

describe("the demo's conversation", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-demo-"))
  let effect: ReadonlyArray<Shown>
  let pi: ReadonlyArray<Shown>
  let traced: PiRun

  beforeAll(async () => {
    await installOlder()
    effect = await show(path.join(folder, "effect"), inEffect)
    traced = await inPi(true)
    pi = await show(path.join(folder, "pi"), (url) => sendTo(url, traced))
  }, 180_000)

  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  it("is the same for pi's agent with the telling on and off, byte for byte on the wire", async () => {
    const bare = await inPi(false)
    assert.lengthOf(bare.requests, script.length)
    assert.deepStrictEqual(
      traced.requests.map(({ body, path }) => ({ body, path })),
      bare.requests.map(({ body, path }) => ({ body, path }))
    )
    assert.strictEqual(traced.messages, bare.messages)
  })

  for (const [index, id] of calls.entries()) {
    it(`gives the same story in toolspan show as the Effect demo: ${id}`, () => {
      assert.include(told(pi[index]!), id)
      assert.strictEqual(told(pi[index]!), told(effect[index]!))
      assert.deepStrictEqual(shape(pi[index]!.story), shape(effect[index]!.story))
    })
  }

  it("has seen the same arguments where both stream", () => {
    const bytes = (shown: ReadonlyArray<Shown>) => shown.slice(0, 2).map(({ story }) => story.decisions[0]?.paramsBytes)
    assert.deepStrictEqual(bytes(pi), bytes(effect))
    assert.isAbove(bytes(pi)[0] ?? 0, 0)
  })
})
