import type * as Tracer from "effect/Tracer"
import * as Limit from "../lifecycle/limit.ts"
import type { Carrier } from "../lifecycle/carrier.ts"
import type { Link, Place, ViolationFacts } from "../lifecycle/SpanWriter.ts"
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as TurnSpan from "../spans/turn.ts"
import * as Approvals from "./approvals.ts"
import * as Carriers from "./carriers.ts"
import type { Decision } from "./Decision.ts"
import { toolNamed } from "./Decision.ts"
import { Decisions } from "./Decisions.ts"
import { errorKind } from "./errorKind.ts"
import type { Execution } from "./Execution.ts"
import { begin } from "./Execution.ts"
import type { CallReference, Found, RecordedCall, Stage } from "./Found.ts"
import { find, isRefused, reference } from "./Found.ts"
import { History } from "./History.ts"
import type * as Input from "./Input.ts"
import * as Parameters from "./parameters.ts"
import type * as Refusal from "./Refusal.ts"
import { isRefusal } from "./Refusal.ts"
import { reported, Request } from "./Request.ts"
import * as Results from "./results.ts"
import type { Session } from "./Session.ts"

/** How many faults of its own a turn counts; 20 of them become events. */
const maximumFaults = 1_024

/** One turn of a framework's loop: what it tells goes to the lifecycle and from there onto spans. */
export class RecordedTurn {
  readonly #session: Session
  readonly #place: Place
  readonly #span: Tracer.Span
  readonly #tools: ReadonlyArray<Input.RecordedTool> | undefined
  readonly #violations: Array<ViolationFacts> = []
  readonly #decisions = new Decisions()
  readonly #running = new Set<Execution>()
  #request: Request | undefined
  #history: History | undefined
  #ended = false

  constructor(session: Session, place: Place, input: Input.TurnInput) {
    this.#session = session
    this.#tools = input.tools ?? undefined
    this.#span = TurnSpan.openTurn(place, input.mode ?? "stream", session.now())
    const { sampled } = this.#span
    this.#place = { ...place, parent: this.#span, sampled, silent: !sampled }
    session.turns++
  }

  get span(): Tracer.AnySpan {
    return this.#span
  }

  requested(input: Input.RequestInput = {}): Refusal.Refusal | undefined {
    return this.#told(() => {
      if (this.#request !== undefined && !this.#request.ended) return this.#session.refuse("request_open")
      this.#open(input)
      return undefined
    })
  }

  consumed(call: CallReference): Refusal.Refusal | undefined {
    return this.#about(call, "consumed", ({ tracked }) => this.#inRequest().consume(tracked))
  }

  decided(input: Input.DecidedInput): RecordedCall | Refusal.Refusal {
    return this.#told(() => {
      if (this.#decisions.full) return this.#session.refuse("too_many_calls")
      const decision = this.#inRequest().decide(input)
      this.#decisions.add(decision)
      return reference(this.#session, decision.tracked)
    })
  }

  carrier(call: CallReference): Carrier | Refusal.Refusal {
    return this.#session.guarded(() => {
      const found = this.#find(call, "answered")
      return isRefused(found) ? found : Carriers.of(this.#session, found.tracked)
    })
  }

  resumed(input: Input.ResumedInput): RecordedCall | Refusal.Refusal {
    return this.#told(() => {
      const tracked = Carriers.resume(this.#session, this.#place.conversation, this.#tools, input)
      return isRefusal(tracked) ? tracked : reference(this.#session, tracked)
    })
  }

  responded(input: Input.ResponseInput = {}): Refusal.Refusal | undefined {
    return this.#told(() => {
      if (this.#request === undefined || this.#request.ended) return this.#session.refuse("no_request")
      this.#request.end(input)
      return undefined
    })
  }

  approvalRequested(call: CallReference, input: Input.AskedInput = {}): Refusal.Refusal | undefined {
    return this.#about(call, "asked", (found) => {
      const refused = Approvals.asked(this.#approvals(), found, input)
      this.#endDecision(found.tracked)
      return refused
    })
  }

  approvalResolved(call: CallReference, input: Input.AnswerInput): Refusal.Refusal | undefined {
    return this.#about(call, "answered", (found) => Approvals.answered(this.#approvals(), found, input))
  }

  started(call: CallReference, input: Input.StartedInput = {}): Execution | Refusal.Refusal {
    return this.#about(call, "started", (found) => this.#start(found, input))
  }

  result(call: CallReference, input: Input.ResultInput = {}): Refusal.Refusal | undefined {
    return this.#about(call, "result", (found) => {
      this.#endDecision(found.tracked)
      const { approval, approvalId, executions, identity } = found.tracked.call
      if (approval === "approved" && executions.length === 0 && !identity.providerExecuted) {
        this.#fault(Approvals.fault("approved_not_executed", found.tracked, approvalId))
      }
      return Results.tell(this.#session, this.#place, found, input)
    })
  }

  end(input: Input.TurnEndInput = {}): Refusal.Refusal | undefined {
    return this.#told(() => {
      // Read first: an app's object that cannot be read has ended nothing.
      const { error, interrupted = false } = input
      this.#ended = true
      for (const execution of this.#running) execution.ended({ outcome: "interrupted" })
      // A span that cannot be ended keeps no other open.
      this.#session.guarded(() => this.#request?.end({ error, interrupted }))
      const failed = error !== undefined && error !== null && !interrupted
      for (const decision of this.#decisions) {
        this.#session.guarded(() => decision.end())
        const { discarded, incomplete } = decision.input
        // A call that was never whole, or that a failed turn gave no result, comes back in no history.
        const lost = incomplete === true || discarded === true || failed && decision.tracked.results.length === 0
        if (lost) this.#session.ledger.forget(decision.tracked)
      }
      const time = this.#session.nowAfter(this.#span)
      this.#session.dropped.violations += Math.max(0, this.#violations.length - Limit.maximumViolationEvents)
      this.#session.guarded(() =>
        this.#session.writer.violations(this.#place, this.#span, reported(this.#violations, this.#tools), time)
      )
      TurnSpan.endTurn(this.#span, { errorType: interrupted ? undefined : errorKind(error), interrupted }, time)
      return undefined
    })
  }

  #told<A>(run: () => A): A | Refusal.Refusal {
    return this.#session.guarded(() => this.#ended ? this.#session.refuse("turn_ended") : run())
  }

  #about<A>(call: CallReference, stage: Stage, run: (found: Found) => A): A | Refusal.Refusal {
    return this.#told(() => {
      const found = this.#find(call, stage)
      return isRefused(found) ? found : run(found)
    })
  }

  #find(call: CallReference, stage: Stage): Found | Refusal.Refusal {
    return find(
      {
        session: this.#session,
        conversation: this.#place.conversation,
        decisions: this.#decisions,
        history: this.#history
      },
      call,
      stage
    )
  }

  #approvals(): Approvals.Told {
    return { session: this.#session, place: this.#place, fault: (violation) => this.#fault(violation) }
  }

  #fault(violation: ViolationFacts): void {
    if (this.#violations.length < maximumFaults) this.#violations.push(violation)
    else this.#session.dropped.violations++
  }

  #endDecision(tracked: TrackedCall): Decision | undefined {
    const decision = this.#decisions.of(tracked)
    decision?.end()
    return decision
  }

  /** The request in progress; a framework that tells of none has one from its first word about it. */
  #inRequest(): Request {
    return this.#request !== undefined && !this.#request.ended ? this.#request : this.#open({})
  }

  #open(input: Input.RequestInput): Request {
    const session = this.#session
    const history = input.history === undefined
      ? undefined
      : new History(session, input.history, this.#place.conversation, this.#tools)
    this.#history = history ?? this.#history
    const request = new Request(session, this.#place, input, history?.pairing, this.#tools)
    this.#request = request
    if (history === undefined) return request
    for (const tracked of history.abandoned) Approvals.leftBehind(this.#approvals(), tracked)
    for (const violation of history.violations) request.violations.push(violation)
    for (const result of history.fresh()) {
      const tracked = Results.carried(session, this.#place, history, result)
      if (tracked !== undefined) request.consume(tracked)
    }
    return request
  }

  #start({ ambiguous, tracked }: Found, input: Input.StartedInput): Execution | Refusal.Refusal {
    const decision = this.#endDecision(tracked)
    const index = tracked.call.executions.length
    const refused = this.#session.say(tracked, { _tag: "ExecutionStarted", execution: index })
    if (refused !== undefined) return refused
    const { approval, approvalId, identity } = tracked.call
    if (index > 0) this.#fault(Approvals.fault("duplicate_execution", tracked, approvalId))
    const params = "arguments" in input ? Parameters.valueOf(input.arguments) : decision?.arguments
    const links: Array<Link> = []
    if (tracked.decision !== undefined && !ambiguous) links.push({ type: "decided_by", to: tracked.decision })
    if (approval === "approved") {
      if (Parameters.changed(tracked.fingerprint, params)) {
        this.#fault(Approvals.fault("approval_mismatch", tracked, approvalId))
      }
      const answer = tracked.approvals.find((one) => one.approvalId === approvalId)?.answers.findLast((one) =>
        one.approved
      )
      if (answer !== undefined) links.push({ type: "approved_by", to: answer.span })
    }
    const tool = identity.name === undefined ? undefined : toolNamed(this.#tools, identity.name)
    const execution = begin(this.#session, this.#place, tracked, index, {
      approval,
      approvalId,
      description: tool?.description,
      droppedArguments: decision?.droppedArguments ?? 0,
      links,
      ambiguous,
      arguments: params
    }, (ended) => this.#running.delete(ended))
    if (!isRefusal(execution)) this.#running.add(execution)
    return execution
  }
}
