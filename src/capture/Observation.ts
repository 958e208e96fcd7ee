/** What all capture of one process shares: the writer, the remembered calls, and how a part is recognised again. */
import { Ledger } from "../lifecycle/Ledger.ts"
import type { Signal } from "../lifecycle/Signal.ts"
import type { SpanWriter } from "../lifecycle/SpanWriter.ts"
import type { TrackedCall, TrackedResult } from "../lifecycle/TrackedCall.ts"
import * as CountedWriter from "./countedWriter.ts"
import type { Dropped } from "./countedWriter.ts"
import * as Stamp from "./Stamp.ts"

/** What is counted of a process, besides the ledger's own counts. */
export interface Counters {
  turns: number
  executions: number
  /** Faults inside toolspan itself that were kept away from the app. */
  internalErrors: number
  /** Streams and spans of a turn that ended after the turn was over. */
  late: number
  /** Carriers that were broken, of another version, stale or out of reach. */
  carriersIgnored: number
  /** Histories that the guard did not let through, and those that it mended. */
  refusedHistories: number
  repairedHistories: number
  /** Calls of histories that had more of them than one turn keeps. */
  untrackedCalls: number
  /** Results that `once` gave without running a handler. */
  replays: number
}

const calls = Stamp.make<TrackedCall | "shared">()

const results = Stamp.make<TrackedResult>()

const carried = Stamp.make<true>()

/** The state of capture in one process. */
export class Observation {
  readonly writer: SpanWriter
  readonly ledger = new Ledger()
  readonly dropped: Dropped = { violations: 0, links: 0, preliminaries: 0, wireCalls: 0 }
  readonly counters: Counters = {
    turns: 0,
    executions: 0,
    internalErrors: 0,
    late: 0,
    carriersIgnored: 0,
    refusedHistories: 0,
    repairedHistories: 0,
    untrackedCalls: 0,
    replays: 0
  }

  constructor(writer: SpanWriter) {
    this.writer = CountedWriter.make(writer, this.dropped)
  }

  /**
   * Lets an object that belongs to one call (parameters, metadata, a part) recognise it later.
   *
   * An object that two calls share recognises neither.
   */
  identify(value: unknown, call: TrackedCall): void {
    const known = calls.get(value)
    if (known === undefined) calls.put(value, call)
    else if (known !== call) calls.put(value, "shared")
  }

  /** The call that this object belongs to, when it belongs to exactly one. */
  identified(value: unknown): TrackedCall | undefined {
    const known = calls.get(value)
    return known === "shared" ? undefined : known
  }

  /** Lets a result part's own object recognise the result later. */
  identifyResult(value: unknown, result: TrackedResult): void {
    results.put(value, result)
  }

  /** The result that this object belongs to. */
  identifiedResult(value: unknown): TrackedResult | undefined {
    return results.get(value)
  }

  /** Notes that a request carries this result part; whether one did before. */
  carries(part: object): boolean {
    if (carried.get(part) === true) return true
    carried.put(part, true)
    return false
  }

  /** Applies a signal to a call; a refused one is counted, and `false`. */
  say(call: TrackedCall, signal: Signal): boolean {
    const refusal = call.apply(signal)
    if (refusal === undefined) return true
    this.ledger.refuse(refusal)
    return false
  }

  /** Runs what must never disturb the app: a fault is counted and goes no further. */
  guarded(run: () => void): void {
    try {
      run()
    } catch {
      this.counters.internalErrors++
    }
  }
}

const key = Symbol.for("toolspan/observation/1")

const holder = globalThis as { [key]?: Observation }

/** The one of this process, made by whoever comes first: two copies of toolspan share it, so that a call is told once. */
export const establish = (make: () => Observation): Observation => holder[key] ??= make()

/** The one of this process. */
export const ofProcess = (): Observation => {
  const established = holder[key]
  if (established === undefined) throw new Error("toolspan: nothing is instrumented yet")
  return established
}
