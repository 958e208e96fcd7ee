import * as Answer from "./answer.ts"
import type { SseEvent } from "./sse.ts"

// OpenAI Responses. An output item has an id of its own (`fc_…`) beside the `call_id` that results refer to.

const createdAt = 1_750_000_000

const itemOf = (answer: Answer.CompleteAnswer) => (part: Answer.AnswerPart, index: number) =>
  part.type === "text"
    ? {
      id: `msg_${answer.id}_${index}`,
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: part.text, annotations: [], logprobs: [] }]
    } as const
    : {
      id: `fc_${answer.id}_${index}`,
      type: "function_call",
      call_id: part.id,
      name: part.name,
      arguments: JSON.stringify(part.input),
      status: "completed"
    } as const

type Item = ReturnType<ReturnType<typeof itemOf>>

const envelope = (answer: Answer.CompleteAnswer, status: string, output: ReadonlyArray<Item>) => ({
  id: answer.id,
  object: "response",
  created_at: createdAt,
  model: answer.model,
  status,
  error: null,
  // Here a stop word other than "completed" is the reason for which a response is incomplete.
  incomplete_details: status === "incomplete" ? { reason: answer.stop } : null,
  output,
  parallel_tool_calls: true,
  usage: status === "in_progress" ? null : {
    input_tokens: answer.usage.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: answer.usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: answer.usage.input + answer.usage.output
  }
})

const finalStatus = (answer: Answer.CompleteAnswer): "completed" | "incomplete" =>
  answer.stop === undefined || answer.stop === "completed" ? "completed" : "incomplete"

export const response = (answer: Answer.CompleteAnswer) =>
  envelope(answer, finalStatus(answer), answer.parts.map(itemOf(answer)))

type Data = { readonly type: string } & Readonly<Record<string, unknown>>

const itemData = (item: Item, output_index: number): ReadonlyArray<Data> => {
  const at = { item_id: item.id, output_index }
  const done: Data = { type: "response.output_item.done", output_index, item }
  if (item.type === "function_call") {
    return [
      { type: "response.output_item.added", output_index, item: { ...item, arguments: "", status: "in_progress" } },
      ...Answer.fragments(item.arguments, 12).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta
      })),
      { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
      done
    ]
  }
  const [part] = item.content
  const within = { ...at, content_index: 0 }
  return [
    { type: "response.output_item.added", output_index, item: { ...item, content: [], status: "in_progress" } },
    { type: "response.content_part.added", ...within, part: { ...part, text: "" } },
    ...Answer.fragments(part.text, 16).map((delta) => ({
      type: "response.output_text.delta",
      ...within,
      delta,
      logprobs: []
    })),
    { type: "response.output_text.done", ...within, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...within, part },
    done
  ]
}

export const events = (answer: Answer.CompleteAnswer): ReadonlyArray<SseEvent> => {
  const items = answer.parts.map(itemOf(answer))
  const status = finalStatus(answer)
  const opening = envelope(answer, "in_progress", [])
  const data: ReadonlyArray<Data> = [
    { type: "response.created", response: opening },
    { type: "response.in_progress", response: opening },
    ...items.flatMap(itemData),
    { type: `response.${status}`, response: envelope(answer, status, items) }
  ]
  return data.map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } }))
}
