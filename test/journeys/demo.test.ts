import { spawn } from "node:child_process"
import { assert, beforeAll, describe, it } from "vitest"
import { script } from "../../examples/demo/script.ts"
import { replay, type ReplayRequest } from "../../examples/replay/server.ts"
import { demo, node } from "../../scripts/demo-install.mjs"
import { installOlder } from "./installation.ts"
import { otlpSink, type SentSpan } from "./otlpSink.ts"

const model = "claude-haiku-4-5"

interface Run {
  readonly code: number | null
  readonly output: string
  readonly errors: string
  readonly requests: ReadonlyArray<ReplayRequest>
}

/** The assistant as a process of its own, with `args` before its file. */
const runAssistant = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Promise<Run> => {
  await using server = await replay({ script })
  const child = spawn(node, [...args, "assistant.ts"], {
    cwd: demo,
    env: {
      PATH: process.env["PATH"],
      ANTHROPIC_API_KEY: "replay",
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_MODEL: model,
      ...env
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const read = async (stream: AsyncIterable<Buffer>) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of stream) chunks.push(chunk)
    return Buffer.concat(chunks).toString("utf8")
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", resolve)
  })
  const [output, errors, code] = await Promise.all([read(child.stdout), read(child.stderr), ended])
  return { code, output, errors, requests: server.requests }
}

const bodies = (run: Run) => run.requests.map(({ body, path }) => ({ body, path }))

describe("the demo's assistant", () => {
  let bare: Run
  let traced: Run
  let spans: ReadonlyArray<SentSpan>
  let bytes: string

  beforeAll(async () => {
    await installOlder()
    await using sink = await otlpSink()
    bare = await runAssistant([], {})
    traced = await runAssistant(["--import", "toolspan/register"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_SERVICE_NAME: "assistant"
    })
    spans = sink.spans()
    bytes = sink.bytes()
  }, 180_000)

  const named = (name: string) => spans.filter((span) => span.name === name)
  const only = (name: string): SentSpan => {
    const found = named(name)
    assert.lengthOf(found, 1, `spans named ${name}`)
    return found[0]!
  }
  const parentName = (span: SentSpan) => spans.find(({ spanId }) => spanId === span.parentSpanId)?.name

  it("tells its story without toolspan", () => {
    assert.strictEqual(bare.errors, "")
    assert.strictEqual(bare.code, 0)
    assert.lengthOf(bare.requests, script.length)
    assert.deepEqual(bare.requests.map(({ stream }) => stream), [true, false, true])
    for (
      const words of [
        "> read_calendar",
        "< get_weather",
        "human: approved",
        "< send_email",
        "The invitation is on its way"
      ]
    ) {
      assert.include(bare.output, words)
    }
  })

  it("says and sends the same, byte for byte, with toolspan", () => {
    assert.deepEqual(
      { code: traced.code, output: traced.output, errors: traced.errors },
      { code: bare.code, output: bare.output, errors: bare.errors }
    )
    assert.deepEqual(bodies(traced), bodies(bare))
  })

  it("has one chat span a request, with its usage, and two traces", () => {
    const chats = named(`chat ${model}`)
    assert.sameMembers(
      chats.map((span) => span.attributes["gen_ai.response.id"]),
      script.map((step) => "id" in step ? step.id : undefined)
    )
    assert.sameMembers(chats.map(parentName), [
      "LanguageModel.streamText",
      "LanguageModel.generateText",
      "LanguageModel.streamText"
    ])
    for (const chat of chats) assert.property(chat.attributes, "gen_ai.usage.input_tokens")
    assert.strictEqual(new Set(chats.map(({ traceId }) => traceId)).size, 2)
  })

  it.each([
    ["read_calendar", "toolu_calendar_7fq2", "LanguageModel.streamText"],
    ["get_weather", "toolu_weather_x93k", "LanguageModel.streamText"],
    ["send_email", "toolu_email_m4tz", "LanguageModel.streamText"]
  ])("has each stage of %s, linked", (tool, id, turn) => {
    const decision = only(`tool_call ${tool}`)
    const execution = only(`execute_tool ${tool}`)
    const result = only(`tool_result ${tool}`)
    for (const span of [decision, execution, result]) assert.strictEqual(span.attributes["gen_ai.tool.call.id"], id)
    assert.strictEqual(parentName(decision), `chat ${model}`)
    assert.strictEqual(parentName(execution), turn)
    assert.strictEqual(parentName(result), turn)
    assert.deepInclude(execution.links, { spanId: decision.spanId, type: "decided_by" })
    assert.deepInclude(result.links, { spanId: execution.spanId, type: "result_of" })
    assert.isTrue(
      spans.some((span) => span.links.some((link) => link.type === "consumes" && link.spanId === result.spanId))
    )
  })

  it("has the app's own spans below their tool", () => {
    assert.strictEqual(parentName(only("calendar.query")), "execute_tool read_calendar")
    assert.strictEqual(parentName(only("weather.locate")), "execute_tool get_weather")
    assert.strictEqual(parentName(only("weather.forecast")), "execute_tool get_weather")
    assert.strictEqual(parentName(only("smtp.deliver")), "execute_tool send_email")
  })

  it("links the approved e-mail over both traces", () => {
    const [asked, answered] = ["requested", "resolved"].map((event) =>
      spans.filter((span) =>
        span.name === "tool_approval send_email" && span.attributes["toolspan.approval.event"] === event
      )
    )
    const execution = only("execute_tool send_email")
    assert.lengthOf(asked!, 1)
    assert.lengthOf(answered!, 1)
    assert.strictEqual(asked![0]!.traceId, only("tool_call send_email").traceId)
    assert.strictEqual(answered![0]!.traceId, execution.traceId)
    assert.notStrictEqual(asked![0]!.traceId, execution.traceId)
    assert.deepInclude(execution.links, { spanId: answered![0]!.spanId, type: "approved_by" })
    assert.strictEqual(execution.attributes["toolspan.approval.state"], "approved")
  })

  it("sends nothing of arguments or results", () => {
    assert.isAbove(spans.length, 0)
    for (const content of ["ada@example.com", "Lunch in the park", "lunch-1@mail.example", "sunny", "Planning"]) {
      assert.notInclude(bytes, content)
    }
  })
})
