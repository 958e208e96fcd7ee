/** Effect prompts of the shared cases as a pi agent would have them. */

interface Part {
  readonly type: string
  readonly [key: string]: unknown
}

interface PromptMessage {
  readonly role: string
  readonly content: string | ReadonlyArray<Part>
}

const partsOf = (message: PromptMessage): ReadonlyArray<Part> =>
  typeof message.content === "string" ? [] : message.content

/** Why a prompt has no form in pi's messages; `undefined` when it has one. */
export const inexpressible = (prompt: ReadonlyArray<PromptMessage>): string | undefined => {
  const parts = prompt.flatMap(partsOf)
  if (parts.some((part) => part.type.startsWith("tool-approval"))) return "approvals are no part of pi's history"
  if (parts.some((part) => part["providerExecuted"] === true)) return "pi has no calls that the provider runs"
  return undefined
}

/** The same history: a result is a message of its own, and each id is one that pi makes of a Responses call. */
export const toPi = (prompt: ReadonlyArray<PromptMessage>, itemOf = (id: unknown) => id): ReadonlyArray<object> =>
  prompt.flatMap((message): ReadonlyArray<object> => {
    if (message.role === "tool") {
      return partsOf(message).filter((part) => part.type === "tool-result").map((part) => ({
        role: "toolResult",
        toolCallId: itemOf(part["id"]),
        toolName: part["name"],
        content: [{ type: "text", text: JSON.stringify(part["result"] ?? null) }],
        isError: part["isFailure"] === true
      }))
    }
    if (message.role !== "assistant") return [{ role: message.role, content: "words" }]
    const content = partsOf(message).map((part) =>
      part.type === "tool-call"
        ? { type: "toolCall", id: itemOf(part["id"]), name: part["name"], arguments: part["params"] }
        : { type: "text", text: "words" }
    )
    return [{ role: "assistant", content, stopReason: "toolUse" }]
  })
