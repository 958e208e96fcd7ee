import * as Answer from "./answer.ts"
import type { SseEvent } from "./sse.ts"

// Chat completions, as OpenAI and the many services that imitate it speak them.

const created = 1_750_000_000

const finishReason = (answer: Answer.CompleteAnswer): string =>
  answer.stop ?? (Answer.callsTools(answer) ? "tool_calls" : "stop")

const usage = ({ usage }: Answer.CompleteAnswer) => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output
})

const isText = (part: Answer.AnswerPart): part is Answer.TextPart => part.type === "text"
const isToolCall = (part: Answer.AnswerPart): part is Answer.ToolCallPart => part.type === "tool_call"

export const completion = (answer: Answer.CompleteAnswer) => {
  const texts = answer.parts.filter(isText)
  const calls = answer.parts.filter(isToolCall)
  return {
    id: answer.id,
    object: "chat.completion",
    created,
    model: answer.model,
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: texts.length === 0 ? null : texts.map((part) => part.text).join(""),
        ...(calls.length === 0 ? {} : {
          tool_calls: calls.map((part) => ({
            id: part.id,
            type: "function",
            function: { name: part.name, arguments: JSON.stringify(part.input) }
          }))
        })
      },
      finish_reason: finishReason(answer)
    }],
    usage: usage(answer)
  }
}

export const events = (answer: Answer.CompleteAnswer): ReadonlyArray<SseEvent> => {
  const chunk = (rest: Readonly<Record<string, unknown>>): SseEvent => ({
    data: { id: answer.id, object: "chat.completion.chunk", created, model: answer.model, ...rest }
  })
  const delta = (delta: unknown, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason }] })
  const texts = answer.parts.filter(isText).flatMap((part) => Answer.fragments(part.text, 16))
  const calls = answer.parts.filter(isToolCall)
  return [
    delta({ role: "assistant", content: "" }),
    ...texts.map((content) => delta({ content })),
    ...calls.flatMap((part, index) => [
      delta({ tool_calls: [{ index, id: part.id, type: "function", function: { name: part.name, arguments: "" } }] }),
      ...Answer.fragments(JSON.stringify(part.input), 12).map((fragment) =>
        delta({ tool_calls: [{ index, function: { arguments: fragment } }] })
      )
    ]),
    delta({}, finishReason(answer)),
    chunk({ choices: [], usage: usage(answer) }),
    { data: "[DONE]" }
  ]
}
