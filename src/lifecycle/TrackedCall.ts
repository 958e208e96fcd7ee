import type * as Tracer from "effect/Tracer"
import * as Refusal from "./Refusal.ts"
import type { Signal } from "./Signal.ts"
import * as SpanReference from "./SpanReference.ts"
import type { Identity, ToolCall } from "./ToolCall.ts"
import * as Call from "./ToolCall.ts"
import { transition } from "./transition.ts"

/** How many approvals of one call are kept, and how many answers of one approval: the latest. */
export const maximumApprovals = 32

/** An approval of a call: who asked where and when, and the answers so far. */
export interface TrackedApproval {
  readonly approvalId: string
  asked: Tracer.AnySpan | undefined
  /** Nanoseconds since the epoch; `undefined` when this process did not see the request and no carrier told. */
  askedAt: bigint | undefined
  answers: Array<{ readonly approved: boolean; readonly span: Tracer.AnySpan }>
}

/** A result part of a call, by the span that told it. */
export interface TrackedResult {
  readonly call: TrackedCall
  readonly index: number
  readonly span: Tracer.AnySpan
}

const none: readonly [] = []

/**
 * A call while it is remembered: its state, and the spans that later ones link to.
 *
 * `call` is replaced by each accepted signal, everything else only grows, up to its limits. Of spans made here only
 * their ids are kept. The lists are made anew when they grow: one that is pushed to has room for sixteen more, and there
 * may be ten thousand calls with one item in each.
 */
export class TrackedCall {
  call: ToolCall
  /** The id in the host's own parts: the provider's, or one that the host made up, which may be known late. */
  hostId: string | undefined
  /** The conversation that the app named, which tells two equal ids apart. */
  readonly conversation: string | undefined
  /** Of the parameters as the wire gave them; see `Fingerprint`. */
  readonly fingerprint: string | undefined
  approvals: ReadonlyArray<TrackedApproval> = none
  executions: ReadonlyArray<Tracer.AnySpan> = none
  results: ReadonlyArray<TrackedResult> = none
  rememberedAt = 0
  /** Characters of its texts when it was remembered. */
  weight = 0
  /** Approvals and answers that were let go because there were too many, since the ledger last counted them. */
  dropped = 0
  #decision: Tracer.AnySpan | undefined

  constructor(
    identity: Identity,
    hostId: string | undefined,
    conversation: string | undefined,
    fingerprint: string | undefined
  ) {
    this.call = Call.make(identity)
    this.hostId = hostId
    this.conversation = conversation
    this.fingerprint = fingerprint
  }

  /** Applies a signal; a refused one changes nothing and is returned. */
  apply(signal: Signal): Refusal.Refusal | undefined {
    const next = transition(this.call, signal)
    if (Refusal.isRefusal(next)) return next
    this.call = next
    return undefined
  }

  get decision(): Tracer.AnySpan | undefined {
    return this.#decision
  }

  set decision(span: Tracer.AnySpan | undefined) {
    this.#decision = span === undefined ? undefined : SpanReference.of(span)
  }

  /** Keeps the span of an execution. */
  executed(span: Tracer.AnySpan): void {
    if (this.executions.length < Call.maximumRuns) this.executions = this.executions.concat(SpanReference.of(span))
  }

  /** Keeps the result of this span. */
  resulted(span: Tracer.AnySpan): TrackedResult {
    const result: TrackedResult = { call: this, index: this.results.length, span: SpanReference.of(span) }
    if (result.index < Call.maximumRuns) this.results = this.results.concat(result)
    return result
  }

  /** Keeps the answer of this span. */
  answered(approval: TrackedApproval, approved: boolean, span: Tracer.AnySpan): void {
    if (approval.answers.length < maximumApprovals) approval.answers.push({ approved, span: SpanReference.of(span) })
    else this.dropped++
  }

  /** The approval of this id, made on first sight. */
  approval(approvalId: string): TrackedApproval {
    const known = this.approvals.find((approval) => approval.approvalId === approvalId)
    if (known !== undefined) return known
    const approval: TrackedApproval = { approvalId, asked: undefined, askedAt: undefined, answers: [] }
    const full = this.approvals.length >= maximumApprovals
    if (full) this.dropped++
    this.approvals = [...full ? this.approvals.slice(1) : this.approvals, approval]
    return approval
  }
}
