// The readers of this form live in one file per format: EffectPrompt.ts, AnthropicMessages.ts, ChatCompletions.ts and
// ResponsesInput.ts. Parts that matter to no pairing are the one shared `other`, so that a long text costs nothing.

/** A model's request for a tool, as it stands in a history. */
export interface CallPart {
  readonly type: "call"
  /** As in the history: an empty id stays empty, a missing one is `undefined`. */
  readonly id: string | undefined
  readonly name: string
  /** As in the history: an object, or the text of the arguments where the format keeps a text. */
  readonly params: unknown
  readonly providerExecuted: boolean
  /** The id of the provider-run call whose code made this call. */
  readonly caller?: string
  readonly source: object
}

/** A part that answers a call. */
export interface ResultPart {
  readonly type: "result"
  readonly id: string | undefined
  readonly name: string | undefined
  readonly isFailure: boolean
  readonly result: unknown
  readonly providerExecuted: boolean
  readonly source: object
}

/** A question whether a call may run. */
export interface ApprovalRequestPart {
  readonly type: "approval-request"
  readonly approvalId: string
  readonly callId: string
  readonly source: object
}

/** An answer to such a question. */
export interface ApprovalResponsePart {
  readonly type: "approval-response"
  readonly approvalId: string
  readonly approved: boolean
  readonly reason: string | undefined
  readonly source: object
}

/** Anything else, kept so that positions stay those of the original. */
export interface OtherPart {
  readonly type: "other"
}

/** One part of a message in neutral form. */
export type Part = CallPart | ResultPart | ApprovalRequestPart | ApprovalResponsePart | OtherPart

/** Who wrote a message; `tool` when it holds results only. */
export type Role = "system" | "user" | "assistant" | "tool"

/**
 * One message in neutral form.
 *
 * `items` is there only where several entries of the original make one message (Responses input): the index of each
 * part's entry.
 */
export interface Message {
  readonly role: Role
  readonly parts: ReadonlyArray<Part>
  readonly items?: ReadonlyArray<number>
}

/** The shared stand-in for parts that no pairing needs. */
export const other: OtherPart = { type: "other" }

/** The shared list of parts of a message without calls, results or approvals. */
export const noParts: ReadonlyArray<Part> = []
