import * as Answer from "./answer.ts"
import type { SseEvent } from "./sse.ts"

// Anthropic Messages. The nulls stand because the real service sends them and typed clients insist on them.

const inputUsage = (answer: Answer.CompleteAnswer) => ({
  input_tokens: answer.usage.input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0
})

const envelope = (answer: Answer.CompleteAnswer, outputTokens: number) => ({
  id: answer.id,
  type: "message",
  role: "assistant",
  model: answer.model,
  stop_sequence: null,
  container: null,
  context_management: null,
  usage: {
    ...inputUsage(answer),
    output_tokens: outputTokens,
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: null,
    server_tool_use: null,
    service_tier: "standard"
  }
})

const stopReason = (answer: Answer.CompleteAnswer): string =>
  answer.stop ?? (Answer.callsTools(answer) ? "tool_use" : "end_turn")

export const message = (answer: Answer.CompleteAnswer) => ({
  ...envelope(answer, answer.usage.output),
  content: answer.parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text, citations: null }
      : { type: "tool_use", id: part.id, name: part.name, input: part.input }
  ),
  stop_reason: stopReason(answer)
})

const event = (data: { readonly type: string } & Readonly<Record<string, unknown>>): SseEvent => ({
  event: data.type,
  data
})

const block = (part: Answer.AnswerPart, index: number): ReadonlyArray<SseEvent> => {
  const delta = (delta: unknown) => event({ type: "content_block_delta", index, delta })
  const [start, deltas] = part.type === "text"
    ? [
      { type: "text", text: "", citations: null },
      Answer.fragments(part.text, 16).map((text) => delta({ type: "text_delta", text }))
    ]
    : [
      { type: "tool_use", id: part.id, name: part.name, input: {} },
      // The service sends one empty fragment first.
      ["", ...Answer.fragments(JSON.stringify(part.input), 12)].map((partial_json) =>
        delta({ type: "input_json_delta", partial_json })
      )
    ]
  return [
    event({ type: "content_block_start", index, content_block: start }),
    ...deltas,
    event({ type: "content_block_stop", index })
  ]
}

export const events = (answer: Answer.CompleteAnswer): ReadonlyArray<SseEvent> => [
  event({ type: "message_start", message: { ...envelope(answer, 1), content: [], stop_reason: null } }),
  event({ type: "ping" }),
  ...answer.parts.flatMap(block),
  event({
    type: "message_delta",
    delta: { stop_reason: stopReason(answer), stop_sequence: null, container: null },
    usage: { ...inputUsage(answer), output_tokens: answer.usage.output, server_tool_use: null },
    context_management: null
  }),
  event({ type: "message_stop" })
]

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  429: "rate_limit_error",
  529: "overloaded_error"
}

export const error = (status: number, message: string) => ({
  type: "error",
  error: { type: errorTypes[status] ?? "api_error", message },
  request_id: "req_replay"
})
