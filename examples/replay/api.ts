import * as Anthropic from "./anthropic.ts"
import type { CompleteAnswer } from "./answer.ts"
import * as Completions from "./completions.ts"
import * as OpenAiError from "./openai-error.ts"
import * as Responses from "./responses.ts"
import type { SseEvent } from "./sse.ts"

export type ApiName = "messages" | "responses" | "chat/completions"

/** How one API writes an answer as a body, as a stream of events, and how it says no. */
export interface Api {
  readonly name: ApiName
  readonly body: (answer: CompleteAnswer) => unknown
  readonly events: (answer: CompleteAnswer) => ReadonlyArray<SseEvent>
  readonly error: (status: number, message: string) => unknown
}

const apis: ReadonlyArray<Api> = [
  { name: "messages", body: Anthropic.message, events: Anthropic.events, error: Anthropic.error },
  { name: "responses", body: Responses.response, events: Responses.events, error: OpenAiError.error },
  { name: "chat/completions", body: Completions.completion, events: Completions.events, error: OpenAiError.error }
]

/** The API that a path belongs to, whatever stands before its last words (`/v1`, `/openai/v1`, nothing). */
export const fromPath = (path: string): Api | undefined => apis.find((api) => path.endsWith(`/${api.name}`))
