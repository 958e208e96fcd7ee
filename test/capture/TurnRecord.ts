/** What a turn was given, asked and ran, noted by the app's own side: what a model of its faults judges by. */

import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"

/** A part of a prompt or a response; a field that its type does not have is the empty value. */
export interface Part {
  readonly type: string
  readonly id: string
  readonly name: string
  readonly params: unknown
  readonly providerExecuted: boolean
  readonly approvalId: string
  readonly toolCallId: string
  readonly approved: boolean
}

export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly parts: ReadonlyArray<Part>
}

export interface TurnRecord {
  readonly traceId: string
  /** Equal for the turns of one run of an app. */
  readonly app: object
  prompt: ReadonlyArray<Message>
  readonly requests: Array<{ readonly prompt: ReadonlyArray<Message>; readonly parts: Array<Part> }>
  /** The `handle` calls in their order. */
  readonly runs: Array<
    { readonly id: string; readonly name: string; readonly params: unknown; readonly afterRequest: boolean }
  >
}

export const partOf = (part: any): Part => ({
  type: part.type,
  id: part.id ?? "",
  name: part.name ?? "",
  params: part.params,
  providerExecuted: part.providerExecuted === true,
  approvalId: part.approvalId ?? "",
  toolCallId: part.toolCallId ?? "",
  approved: part.approved === true
})

export const messagesOf = (content: ReadonlyArray<any>): ReadonlyArray<Message> =>
  content.map((message) => ({
    role: message.role,
    parts: typeof message.content === "string" ? [] : message.content.map(partOf)
  }))

/** The same model, which notes the prompt that it is given. */
export const noting = (model: any, turn: TurnRecord): LanguageModel.LanguageModel => {
  const noted = (method: string) => (options: any) => {
    const { prompt } = options
    // What can be read only once is the host's to read.
    const isReadOnce = typeof prompt === "object" && !Array.isArray(prompt) && !Prompt.isPrompt(prompt)
    if (!isReadOnce) turn.prompt = messagesOf(Prompt.make(prompt).content)
    return model[method](options)
  }
  return {
    ...model,
    generateText: noted("generateText"),
    generateObject: noted("generateObject"),
    streamText: noted("streamText")
  }
}
