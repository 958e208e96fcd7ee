// The calls of a pi message with their results, as one value that cannot be broken. Run by test/adapters/group.test.ts.
import type { AssistantMessage, ToolResultMessage } from "@earendil-works/pi-ai"
import { Result } from "effect"
import { toAnthropic, ToolCallGroup, type ToolCallGroupError } from "toolspan/pairing"

const textOf = ({ content }: ToolResultMessage): string =>
  content.map((part) => part.type === "text" ? part.text : "(an image)").join("\n")

/** The group of an assistant message: its calls, each still without a result. */
export const decided = (message: AssistantMessage): Result.Result<ToolCallGroup.ToolCallGroup, ToolCallGroupError> =>
  ToolCallGroup.make(
    message.content.filter((block) => block.type === "toolCall").map((block) => ({
      id: block.id,
      name: block.name,
      params: block.arguments
    }))
  )

/** The same group with one more result; a result without its call, or a second one, is refused here and not by a provider. */
export const answered = (
  group: ToolCallGroup.ToolCallGroup,
  message: ToolResultMessage
): Result.Result<ToolCallGroup.ToolCallGroup, ToolCallGroupError> =>
  ToolCallGroup.answer(group, {
    id: message.toolCallId,
    name: message.toolName,
    isFailure: message.isError,
    result: textOf(message)
  })

/** A round of pi's transcript as the two messages that Anthropic wants: all calls, then all results. */
export const round = (
  message: AssistantMessage,
  results: ReadonlyArray<ToolResultMessage>
): Result.Result<ReadonlyArray<object>, ToolCallGroupError> =>
  results.reduce(
    (group, result) => Result.flatMap(group, (calls) => answered(calls, result)),
    decided(message)
  ).pipe(Result.flatMap(toAnthropic))
