/** What a framework tells a recorder. */
import type * as Tracer from "effect/Tracer"
import type { Failure } from "../lifecycle/SpanWriter.ts"
import type { Outcome, ResultOrigin } from "../lifecycle/ToolCall.ts"
import type { ArgumentFault } from "../pairing/Arguments.ts"
import type { Message } from "../pairing/History.ts"
import type { ToolFacts } from "../pairing/ToolNames.ts"
import type { Mode } from "../spans/turn.ts"
import type { OtelSpan } from "./openTelemetry.ts"

/** A tool of the turn: a name in the toolkit, and what the spans may say of it. */
export interface RecordedTool extends ToolFacts {
  readonly description?: string | undefined
}

/** Where a turn stands: one call of the model with the tools that it decides to run. */
export interface TurnInput {
  /** `stream` when the response arrives in parts, `generate` when in one piece; `stream` unless said. */
  readonly mode?: Mode | undefined
  /** The span above the turn; the active one unless said (with an Effect tracer: none). */
  readonly parent?: Tracer.AnySpan | OtelSpan | undefined
  /** What tells equal ids of two conversations apart. */
  readonly conversation?: string | undefined
  readonly agent?: string | undefined
  /** The toolkit of the turn. Without it every name counts as a tool's. */
  readonly tools?: ReadonlyArray<RecordedTool> | undefined
}

/** A request to the provider, as it is about to be sent. */
export interface RequestInput {
  readonly model?: string | undefined
  readonly provider?: string | undefined
  /**
   * The messages that are sent, by a reader of `toolspan/pairing`: their faults are told, their results are consumed,
   * and ids count on. Give the same message objects each time: they recognise calls and results exactly.
   */
  readonly history?: ReadonlyArray<Message> | undefined
}

/** The response to the request in progress. */
export interface ResponseInput {
  readonly model?: string | undefined
  readonly id?: string | undefined
  readonly finishReasons?: ReadonlyArray<string> | undefined
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cacheReadTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly timeToFirstChunkSeconds?: number | undefined
  /** Whatever the request failed with: its kind is written, never its message. */
  readonly error?: unknown
  readonly interrupted?: boolean | undefined
}

/** A call that the model asks for. */
export interface DecidedInput {
  /** As the provider gave it; an empty or missing one is told as such. */
  readonly id: string | undefined
  /** The id that the framework made up where the provider gave none. */
  readonly hostId?: string | undefined
  readonly name: string
  /** As the wire has them, a value or its JSON text: both are the same arguments. */
  readonly arguments?: unknown
  /** Run by the provider itself. */
  readonly providerExecuted?: boolean | undefined
  /** The id of the provider's own item, where the call's id is another (OpenAI Responses). */
  readonly itemId?: string | undefined
  /** Non-empty streamed fragments of the arguments, and their size in bytes. */
  readonly deltas?: number | undefined
  readonly bytes?: number | undefined
  /** The stream ended before the call was whole. */
  readonly incomplete?: boolean | undefined
  /** The framework keeps nothing of the call: no later request carries it. */
  readonly discarded?: boolean | undefined
  readonly argumentFault?: ArgumentFault | undefined
  /** The first fragment, nanoseconds since the epoch; now unless said. */
  readonly startTime?: bigint | undefined
  /** The framework's own object of the call, which a later history may hold again. */
  readonly source?: object | undefined
}

/** A call that another process decided, or this one before it was started anew. */
export interface ResumedInput {
  /** The provider's id; a call without one cannot be resumed. */
  readonly id: string
  /** What `decided` gave as the call's key; needed for the second call of an id. */
  readonly key?: string | undefined
  readonly name: string
  /** As the model asked: what runs later is compared with them, and a later history knows the call by them. */
  readonly arguments?: unknown
  /**
   * The approval that is waited for, as it was asked; the call's key unless said. Without a carrier nobody was asked unless
   * one is said.
   */
  readonly approvalId?: string | undefined
  /** What `carrier` gave, or an Effect program left beside the call. Without one nothing before is linked. */
  readonly carrier?: unknown
}

/** A question whether a call may run. */
export interface AskedInput {
  /** The call's key unless said. */
  readonly approvalId?: string | undefined
  /** When somebody was asked, in nanoseconds since the epoch; now unless said. */
  readonly time?: bigint | undefined
}

/** An answer to an approval. */
export interface AnswerInput {
  readonly approvalId?: string | undefined
  readonly answer: "approved" | "denied" | "abandoned"
  /** Written only where results are captured. */
  readonly reason?: string | undefined
}

/** A run of a call's tool that begins. */
export interface StartedInput {
  /** The arguments that run; those of the decision unless said. */
  readonly arguments?: unknown
}

/** How a run ended: a success unless something else is said. */
export interface EndedInput {
  readonly outcome?: Outcome | undefined
  readonly result?: unknown
  /** What the tool failed with: its kind is written, its text only where results are captured. */
  readonly error?: unknown
  /** Whether the failure goes back to the model as a result (`return`, unless said) or ends the loop (`error`). */
  readonly failureMode?: Failure["mode"] | undefined
}

/** The final result of a call, as the history will hold it. What is left out follows from the call's runs and approvals. */
export interface ResultInput {
  readonly value?: unknown
  readonly outcome?: Outcome | undefined
  readonly origin?: ResultOrigin | undefined
  /** The framework's own object of the result, which a later history may hold again. */
  readonly source?: object | undefined
}

/** How a turn ended. */
export interface TurnEndInput {
  readonly error?: unknown
  readonly interrupted?: boolean | undefined
}
