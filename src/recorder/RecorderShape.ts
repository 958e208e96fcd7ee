import type * as Tracer from "effect/Tracer"
import type { Carrier } from "../lifecycle/carrier.ts"
import type { LedgerCounts } from "../lifecycle/Ledger.ts"
import type { SettingsInput } from "../settings/settings.ts"
import type { Execution } from "./Execution.ts"
import type { CallReference, RecordedCall } from "./Found.ts"
import type * as Input from "./Input.ts"
import type { OtelApi, OtelTracer } from "./openTelemetry.ts"
import type * as Refusal from "./Refusal.ts"

/** What every recorder may be told; environment variables and defaults decide what is left out, as everywhere else. */
export interface RecorderSettings {
  readonly content?: SettingsInput["content"]
  readonly metrics?: boolean | undefined
  readonly maxOpenCalls?: number | undefined
  readonly openCallTtlMillis?: number | undefined
  readonly enabled?: boolean | undefined
  /** Nanoseconds since the epoch; the system's clock unless said. */
  readonly now?: (() => bigint) | undefined
}

/**
 * Where a recorder writes: through a tracer of `@opentelemetry/api` together with that module (`api`), or through an
 * Effect tracer, with `api` where one is active under it.
 */
export type RecorderOptions =
  & RecorderSettings
  & (
    | { readonly tracer: OtelTracer; readonly api: OtelApi }
    | { readonly tracer: Tracer.Tracer; readonly api?: OtelApi | undefined }
  )

/** What a recorder counts: its turns and runs, the remembered calls, what was refused and what did not fit. */
export interface RecorderCounts extends Omit<LedgerCounts, "dropped" | "refused"> {
  readonly turns: number
  readonly executions: number
  /** What was refused, by reason. */
  readonly refused: Readonly<Partial<Record<Refusal.Reason, number>>>
  /** What spans and calls had too many of. */
  readonly dropped: {
    readonly approvals: number
    readonly violations: number
    readonly links: number
    readonly preliminaries: number
  }
}

/**
 * One turn: one call of the model with the tools that it decides to run.
 *
 * The order of a turn is `requested`, `decided` for each call, `responded`, then for each call `approvalRequested` or
 * `started` and `result`, and `end`. Every method returns at once; what makes no sense is a `Refusal`, never a throw.
 */
export interface Turn {
  /** The turn's span, for `Effect.withParentSpan`. */
  readonly span: Tracer.AnySpan
  /** A request goes to the provider. Consumes the new results of its history and tells the history's faults. */
  readonly requested: (input?: Input.RequestInput) => Refusal.Refusal | undefined
  /** The request carries this call's result for the first time; only for requests without a history. */
  readonly consumed: (call: CallReference) => Refusal.Refusal | undefined
  /** The model asks for a tool. */
  readonly decided: (input: Input.DecidedInput) => RecordedCall | Refusal.Refusal
  /**
   * What takes the call to another process: JSON of at most 200 characters, without content. Take it when approval was
   * asked, also after the turn's end, and keep it beside the call.
   */
  readonly carrier: (call: CallReference) => Carrier | Refusal.Refusal
  /** The turn goes on with a call of another process: what follows links to the spans there. */
  readonly resumed: (input: Input.ResumedInput) => RecordedCall | Refusal.Refusal
  /** The response to the request is whole, or the request failed. */
  readonly responded: (input?: Input.ResponseInput) => Refusal.Refusal | undefined
  /** A human is asked whether the call may run. */
  readonly approvalRequested: (call: CallReference, input?: Input.AskedInput) => Refusal.Refusal | undefined
  /** The human answered, or the conversation went on without an answer. In any later turn, too. */
  readonly approvalResolved: (call: CallReference, input: Input.AnswerInput) => Refusal.Refusal | undefined
  /** A run of the call's tool begins. */
  readonly started: (call: CallReference, input?: Input.StartedInput) => Execution | Refusal.Refusal
  /** The final result of the call is known. */
  readonly result: (call: CallReference, input?: Input.ResultInput) => Refusal.Refusal | undefined
  /** The turn is over: whatever of it is open is ended, and a run that goes on is told as interrupted. */
  readonly end: (input?: Input.TurnEndInput) => Refusal.Refusal | undefined
}

/** Tells the tool calls of any agent loop as spans, links and events. */
export interface Recorder {
  /** Begins a turn. */
  readonly turn: (input?: Input.TurnInput) => Turn
  /** The recorder's clock, for the times that it is told: nanoseconds since the epoch. */
  readonly now: () => bigint
  /**
   * Runs an adapter's own reading of what its framework gave it: what that throws is an `internal_error`, counted as every
   * refusal is, and reaches nobody.
   */
  readonly guarded: <A>(read: () => A) => A | Refusal.Refusal
  /** What was counted since the recorder was made. */
  readonly counts: () => RecorderCounts
}
