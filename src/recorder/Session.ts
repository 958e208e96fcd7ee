/** What all turns of one recorder share: the writer, the remembered calls, the settings and the counts. */
import type { MetricRegistry } from "effect/Metric"
import type * as Tracer from "effect/Tracer"
import { Ledger } from "../lifecycle/Ledger.ts"
import type { Signal } from "../lifecycle/Signal.ts"
import type { Failure, SpanWriter } from "../lifecycle/SpanWriter.ts"
import type { Outcome } from "../lifecycle/ToolCall.ts"
import * as Call from "../lifecycle/ToolCall.ts"
import type { TrackedCall, TrackedResult } from "../lifecycle/TrackedCall.ts"
import type { Settings } from "../settings/settings.ts"
import * as Writer from "../spans/SpanWriter.ts"
import type { OtelApi } from "./openTelemetry.ts"
import * as Refusal from "./Refusal.ts"

/** How a run of a call ended. */
export interface RunEnd {
  readonly outcome: Outcome
  readonly failure: Failure | undefined
  readonly result: unknown
}

/** What a session is made from. */
export interface Surroundings {
  readonly tracer: Tracer.Tracer
  readonly api: OtelApi | undefined
  readonly settings: Settings
  readonly metrics: MetricRegistry | undefined
  readonly now: () => bigint
}

export class Session {
  readonly surroundings: Surroundings
  readonly writer: SpanWriter = Writer.make()
  readonly ledger = new Ledger()
  readonly dropped = { violations: 0, links: 0, preliminaries: 0 }
  readonly refused: Partial<Record<Refusal.Reason, number>> = {}
  /** How the last run of a call ended, for its result. */
  readonly ends = new WeakMap<TrackedCall, RunEnd>()
  /** The calls by what the framework was given for them; those of another recorder are none of this one's. */
  readonly references = new WeakMap<object, TrackedCall>()
  /** The calls and results that an object of the app's own history is. */
  readonly calls = new WeakMap<object, TrackedCall>()
  readonly carried = new WeakSet<object>()
  turns = 0
  executions = 0

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings
  }

  now(): bigint {
    return this.surroundings.now()
  }

  /** The time now for a span that began: a clock that went back gives none that ends before. */
  nowAfter({ status: { startTime } }: Tracer.Span): bigint {
    const now = this.now()
    return now < startTime ? startTime : now
  }

  millis(): number {
    return Number(this.now() / 1_000_000n)
  }

  refuse(reason: Refusal.Reason): Refusal.Refusal {
    this.refused[reason] = (this.refused[reason] ?? 0) + 1
    return Refusal.make(reason)
  }

  /** Applies a signal; what the lifecycle refuses is counted and returned. */
  say(call: TrackedCall, signal: Signal): Refusal.Refusal | undefined {
    const refusal = call.apply(signal)
    return refusal === undefined ? undefined : this.refuse(refusal.reason)
  }

  /** Runs what must never disturb the app. */
  guarded<A>(run: () => A): A | Refusal.Refusal {
    try {
      return run()
    } catch {
      return this.refuse("internal_error")
    }
  }

  /** Keeps the app's own object of a call or of its result, where it is one. */
  recognise(source: unknown, call: TrackedCall): void {
    if (typeof source === "object" && source !== null) this.calls.set(source, call)
  }

  /** The time that the app told, if it is one and not later than now. */
  toldTime(told: unknown): bigint {
    const now = this.now()
    return typeof told === "bigint" && told < now ? told : now
  }

  remember(call: TrackedCall): void {
    this.ledger.remember(call, this.millis(), this.surroundings.settings)
  }

  withId(id: string): ReadonlyArray<TrackedCall> {
    return this.ledger.withId(id, this.millis(), this.surroundings.settings)
  }

  /** The first result of a call that no request carried yet, else its last one. */
  resultOf(call: TrackedCall): TrackedResult | undefined {
    const index = call.call.results.indexOf("known")
    return call.results[index === -1 ? call.results.length - 1 : index]
  }

  settle(call: TrackedCall): void {
    if (!Call.isOpen(call.call)) this.ledger.forget(call)
  }
}
