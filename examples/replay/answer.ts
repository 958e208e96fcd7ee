/**
 * What a scripted model says in one response, in no provider's words: the three encoders beside this file turn it into
 * an Anthropic message, an OpenAI response or a chat completion, as one body or as a stream of events.
 */
export interface Answer {
  /** What the model says, in order. */
  readonly parts: ReadonlyArray<AnswerPart>
  /** The response id. Made from the request's number when not given. */
  readonly id?: string
  /** The model that answers. The one that was asked for when not given. */
  readonly model?: string
  /** Why the model stopped, in the wire's own word. Follows from the parts when not given. */
  readonly stop?: string
  /** Tokens; 20 in and 10 out when not given. */
  readonly usage?: { readonly input: number; readonly output: number }
}

export type AnswerPart = TextPart | ToolCallPart

export interface TextPart {
  readonly type: "text"
  readonly text: string
}

export interface ToolCallPart {
  readonly type: "tool_call"
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export const text = (text: string): TextPart => ({ type: "text", text })

export const toolCall = (id: string, name: string, input: Readonly<Record<string, unknown>>): ToolCallPart => ({
  type: "tool_call",
  id,
  name,
  input
})

/** An answer with everything filled in that the script left open. */
export interface CompleteAnswer extends Required<Omit<Answer, "stop">> {
  readonly stop: string | undefined
}

export const complete = (
  answer: Answer,
  request: { readonly number: number; readonly model: string }
): CompleteAnswer => ({
  parts: answer.parts,
  id: answer.id ?? `replay_${request.number}`,
  model: answer.model ?? request.model,
  stop: answer.stop,
  usage: answer.usage ?? { input: 20, output: 10 }
})

export const callsTools = (answer: CompleteAnswer): boolean => answer.parts.some((part) => part.type === "tool_call")

/** Cuts a text into fragments as providers stream them; never an empty one. */
export const fragments = (text: string, size: number): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size))
