import { Effect, Stream } from "effect"
import { LanguageModel, Prompt, type Response, type Toolkit } from "effect/unstable/ai"
import { Assistant } from "./tools.ts"

type Tools = Toolkit.Tools<typeof Assistant>

/** One turn of the model: the conversation with everything that the turn added to it, and what that was. */
export interface Turn {
  readonly history: Prompt.Prompt
  readonly text: string
  readonly calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly params: unknown }>
  readonly results: ReadonlyArray<{ readonly id: string; readonly name: string; readonly result: unknown }>
  /** Calls that a human has to approve. */
  readonly pending: number
}

const fromParts = (
  prompt: Prompt.Prompt,
  parts: ReadonlyArray<Response.Part<Tools> | Response.StreamPart<Tools>>
): Turn => {
  const calls = parts.filter((part) => part.type === "tool-call")
  const results = parts.filter((part) => part.type === "tool-result")
  // The result of an approved call answers an older message, so it stands before what the model says next.
  const isOlder = (part: { readonly type: string }) =>
    results.some((result) => result === part && calls.every((call) => call.id !== result.id))
  return {
    history: prompt.pipe(
      Prompt.concat(Prompt.fromResponseParts(parts.filter(isOlder))),
      Prompt.concat(Prompt.fromResponseParts(parts.filter((part) => !isOlder(part))))
    ),
    text: parts.map((part) => part.type === "text" ? part.text : part.type === "text-delta" ? part.delta : "").join(""),
    calls,
    // Handlers run at the same time and end in any order; told in the order of the calls.
    results: results.toSorted((a, b) =>
      calls.findIndex(({ id }) => id === a.id) - calls.findIndex(({ id }) => id === b.id)
    ),
    pending: parts.filter((part) => part.type === "tool-approval-request").length
  }
}

/** A turn whose parts arrive as the model writes them. */
export const stream = (prompt: Prompt.Prompt) =>
  LanguageModel.streamText({ prompt, toolkit: Assistant }).pipe(
    Stream.runCollect,
    Effect.map((parts) => fromParts(prompt, parts))
  )

/** A turn that arrives in one piece. */
export const generate = (prompt: Prompt.Prompt) =>
  LanguageModel.generateText({ prompt, toolkit: Assistant }).pipe(
    Effect.map((response) => fromParts(prompt, response.content))
  )
