// The same work as the benchmark's run, by the AI SDK: a step that decides so many calls and runs them, and one more.
// JavaScript, because the types of these packages are there only once the benchmark has installed them.
import { OpenTelemetry } from "@ai-sdk/otel"
import { generateText, stepCountIs, streamText, tool } from "ai"
import { MockLanguageModelV4, simulateReadableStream } from "ai/test"
import { z } from "zod"

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 7, text: 7, reasoning: undefined }
}

const calling = { unified: "tool-calls", raw: "tool_calls" }
const stopping = { unified: "stop", raw: "stop" }

const tools = {
  lookup: tool({
    description: "Looks a key up",
    inputSchema: z.object({ key: z.string() }),
    execute: ({ key }) => `lookup:${key}`
  })
}

let run = 0

const calls = (count) => {
  run++
  return Array.from({ length: count }, (_, index) => ({
    type: "tool-call",
    toolCallId: `call_${run}_${index}`,
    toolName: "lookup",
    input: `{"key":"k${index}"}`
  }))
}

/** A run with so many calls; told by `tracer`, or by nobody. Content is off, as it is in toolspan unless asked for. */
export const turn = (count, streamed, tracer) => {
  const isSecond = ({ prompt }) => prompt.at(-1).role === "tool"
  const model = new MockLanguageModelV4({
    doGenerate: async (options) =>
      isSecond(options)
        ? { content: [{ type: "text", text: "done" }], finishReason: stopping, usage, warnings: [] }
        : { content: calls(count), finishReason: calling, usage, warnings: [] },
    doStream: async (options) => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          ...(isSecond(options)
            ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: "done" },
              { type: "text-end", id: "t" }
            ]
            : calls(count)),
          { type: "finish", finishReason: isSecond(options) ? stopping : calling, usage }
        ],
        initialDelayInMs: null,
        chunkDelayInMs: null
      })
    })
  })
  const telemetry = tracer === undefined
    ? { isEnabled: false }
    : { recordInputs: false, recordOutputs: false, integrations: new OpenTelemetry({ tracer }) }
  const options = { model, tools, prompt: "go", stopWhen: stepCountIs(2), telemetry }
  return async () => {
    // What a mock model keeps of its calls would grow with every run.
    model.doGenerateCalls.length = 0
    model.doStreamCalls.length = 0
    if (streamed) await streamText(options).consumeStream()
    else await generateText(options)
  }
}
