// The same work as the benchmark's turn, by the AI SDK: one provider request that decides so many calls, and their runs.
// JavaScript, because the types of these packages are there only once the benchmark has installed them.
import { OpenTelemetry } from "@ai-sdk/otel"
import { generateText, streamText, tool } from "ai"
import { MockLanguageModelV4, simulateReadableStream } from "ai/test"
import { z } from "zod"

const usage = {
  inputTokens: { total: 5, noCache: 5, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 7, text: 7, reasoning: undefined }
}

const finishReason = { unified: "tool-calls", raw: "tool_calls" }

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

/** Runs a turn with so many calls; told by `tracer`, or by nobody. Content is off, as it is in toolspan unless asked for. */
export const turn = (count, streamed, tracer) => {
  const model = new MockLanguageModelV4({
    doGenerate: async () => ({ content: calls(count), finishReason, usage, warnings: [] }),
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [{ type: "stream-start", warnings: [] }, ...calls(count), { type: "finish", finishReason, usage }],
        initialDelayInMs: null,
        chunkDelayInMs: null
      })
    })
  })
  const telemetry = tracer === undefined
    ? { isEnabled: false }
    : { recordInputs: false, recordOutputs: false, integrations: new OpenTelemetry({ tracer }) }
  const options = { model, tools, prompt: "go", telemetry }
  return async () => {
    // What a mock model keeps of its calls would grow with every run.
    model.doGenerateCalls.length = 0
    model.doStreamCalls.length = 0
    if (streamed) await streamText(options).consumeStream()
    else await generateText(options)
  }
}
