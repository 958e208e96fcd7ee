/** pi's own OpenAI Responses code, whose ids are `call|item`, against a server that speaks it. */
import { Agent } from "@earendil-works/pi-agent-core"
import type { AgentMessage } from "@earendil-works/pi-agent-core"
import type { Model } from "@earendil-works/pi-ai"
import { streamSimple } from "@earendil-works/pi-ai/api/openai-responses"
import { assert, describe, it } from "@effect/vitest"
import { text, toolCall } from "../../examples/replay/answer.ts"
import { replay } from "../../examples/replay/server.ts"
import { traceAgent } from "../../src/adapters/pi.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { kindOf } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import { tool } from "./PiWorld.ts"

const script = [
  { parts: [toolCall("call_7fq2", "read", { path: "x" }), toolCall("call_x93k", "read", { path: "y" })] },
  { parts: [text("read")] },
  { parts: [text("again")] }
]

const talk = async (change: (messages: ReadonlyArray<AgentMessage>) => ReadonlyArray<AgentMessage>) => {
  await using server = await replay({ script })
  const model: Model<"openai-responses"> = {
    id: "gpt-x",
    name: "gpt-x",
    api: "openai-responses",
    provider: "openai",
    baseUrl: `${server.url}/v1`,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 1024
  }
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer })
  const make = (messages: ReadonlyArray<AgentMessage>) => {
    const agent = new Agent({
      streamFn: (_, context, options) => streamSimple(model, context, options),
      getApiKey: () => "replay",
      initialState: { model, tools: [tool("read")], messages: [...messages] }
    })
    traceAgent(agent, { recorder })
    return agent
  }
  const agent = make([])
  await agent.prompt("go")
  const other = make(change(agent.state.messages))
  await other.prompt("and?")
  return { bodies: server.requests.map(({ body }) => body), counts: recorder.counts(), spans: recording.trail().spans }
}

const outputs = (body: Readonly<Record<string, unknown>>) =>
  (body["input"] as ReadonlyArray<Record<string, unknown>>).filter((item) => item["type"] === "function_call_output")
    .map((item) => item["call_id"])

describe("composite ids", () => {
  it("are the call's id and the provider's item, paired by the first as on the wire", async () => {
    const { bodies, counts, spans } = await talk((messages) => structuredClone(messages))
    const calls = ["call_7fq2", "call_x93k"]
    assert.deepStrictEqual(outputs(bodies[1]!), calls)
    for (const kind of ["tool_call", "execute_tool", "tool_result"]) {
      const ids = spans.filter((span) => kindOf(span) === kind).map((span) =>
        span.attributes[Attribute.genAiToolCallId]
      )
      assert.deepStrictEqual(ids, calls, kind)
    }
    for (const span of spans.filter((one) => kindOf(one) === "tool_call")) {
      assert.isString(span.attributes[Attribute.toolspanCallWireItemId])
    }
    // The fork's history is sound, and nothing of it is told twice.
    assert.deepStrictEqual(spans.filter((span) => span.events.length > 0), [])
    assert.deepStrictEqual(counts.refused, {})
    assert.strictEqual(counts.open, 0)
  })

  it("name the orphan that a session has after it lost the message of its calls", async () => {
    const { spans } = await talk((messages) => structuredClone(messages.filter(({ role }) => role !== "assistant")))
    const faults = spans.flatMap((span) => span.events).map(({ attributes }) => [
      attributes[Attribute.toolspanViolationKind],
      attributes[Attribute.genAiToolCallId]
    ])
    assert.deepStrictEqual(faults, [["orphan_result", "call_7fq2"], ["orphan_result", "call_x93k"]])
  })
})
