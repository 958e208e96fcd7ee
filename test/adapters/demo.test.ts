import * as api from "@opentelemetry/api"
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { spawn } from "node:child_process"
import { script } from "../../examples/demo/script.ts"
import { assistant, converse } from "../../examples/pi-assistant.ts"
import type { ReplayRequest } from "../../examples/replay/server.ts"
import { replay } from "../../examples/replay/server.ts"
import { demo, node } from "../../scripts/demo-install.mjs"
import { traceAgent } from "../../src/adapters/pi.ts"
import { storyText } from "../../src/cli/StoryText.ts"
import { plain } from "../../src/cli/Style.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import * as Query from "../../src/query/Query.ts"
import type { Story } from "../../src/query/Story.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import { installOlder } from "../journeys/installation.ts"
import { otlpSink } from "../journeys/otlpSink.ts"
import * as OtelTrail from "../recorder/OtelTrail.ts"

const model = "claude-haiku-4-5"

const calls = ["toolu_calendar_7fq2", "toolu_weather_x93k", "toolu_email_m4tz"]

const rowsOf = (body: string | Uint8Array): ReadonlyArray<SpanRow> =>
  Result.getOrThrow(TraceRequest.decode(typeof body === "string" ? new TextEncoder().encode(body) : body, "json")).rows

interface Told {
  readonly stories: ReadonlyArray<Story>
}

const tell = async (rows: ReadonlyArray<SpanRow>): Promise<Told> => {
  const store = MemoryStore.make()
  await Effect.runPromise(store.append(rows))
  const query = Query.make(store)
  const found = await Promise.all(calls.map((id) => Effect.runPromise(query.story(id, 10))))
  return { stories: found.flatMap(({ stories }) => stories) }
}

/** The demo's assistant, in Effect, as a process of its own under `toolspan/register`. */
const inEffect = async (): Promise<Told> => {
  await using sink = await otlpSink()
  await using server = await replay({ script })
  const child = spawn(node, ["--import", "toolspan/register", "assistant.ts"], {
    cwd: demo,
    env: {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "replay",
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_MODEL: model,
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_SERVICE_NAME: "assistant"
    },
    stdio: "ignore"
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", resolve)
  })
  assert.strictEqual(code, 0)
  return tell(sink.bytes().split("\n").filter((line) => line.includes("resourceSpans")).flatMap(rowsOf))
}

interface PiRun {
  readonly requests: ReadonlyArray<ReplayRequest>
  readonly messages: string
  readonly rows: ReadonlyArray<SpanRow>
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
  const body = JsonTraceSerializer.serializeRequest([...sdk.spans()])
  const messages = JSON.stringify(
    agent.state.messages,
    (key, value: unknown) => key === "timestamp" || key === "durationMs" ? undefined : value
  )
  return { requests: server.requests, messages, rows: traced ? rowsOf(body!) : [] }
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
const shown = (story: Story): string => {
  const lines = storyText(story, 200, plain)
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
  let effect: Told
  let pi: PiRun
  let told: Told

  beforeAll(async () => {
    await installOlder()
    effect = await inEffect()
    pi = await inPi(true)
    told = await tell(pi.rows)
  }, 180_000)

  it("is the same for pi's agent with the telling on and off, byte for byte on the wire", async () => {
    const bare = await inPi(false)
    assert.lengthOf(bare.requests, script.length)
    assert.deepStrictEqual(
      pi.requests.map(({ body, path }) => ({ body, path })),
      bare.requests.map(({ body, path }) => ({ body, path }))
    )
    assert.strictEqual(pi.messages, bare.messages)
  })

  it("gives a story a call, the same as in Effect", () => {
    assert.lengthOf(effect.stories, calls.length)
    assert.lengthOf(told.stories, calls.length)
    assert.deepStrictEqual(told.stories.map(shape), effect.stories.map(shape))
    // Where both stream, both have seen the same arguments.
    const bytes = ({ stories }: Told) => stories.slice(0, 2).map(({ decisions }) => decisions[0]?.paramsBytes)
    assert.deepStrictEqual(bytes(told), bytes(effect))
    assert.isAbove(bytes(told)[0] ?? 0, 0)
  })

  for (const [index, id] of calls.entries()) {
    it(`reads the same in toolspan show: ${id}`, () => {
      assert.strictEqual(shown(told.stories[index]!), shown(effect.stories[index]!))
    })
  }
})
