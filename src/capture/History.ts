/** The history that a turn is given: its calls, and which of them this process remembers. */
import type { Limits } from "../lifecycle/Ledger.ts"
import * as Fingerprint from "../lifecycle/Fingerprint.ts"
import { TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as Key from "../pairing/Key.ts"
import type { PairedCall, Pairing } from "../pairing/Pairing.ts"
import * as Carrier from "../lifecycle/carrier.ts"
import * as InBand from "./inBand.ts"
import { toolNamed } from "./shape.ts"
import * as ToolFacts from "./toolFacts.ts"
import type { Turn } from "./Turn.ts"

/** A call of a history: what is remembered of it, or what the history alone tells. */
export interface KnownCall {
  readonly tracked: TrackedCall
  /** This process met the call before. */
  readonly remembered: boolean
  /** The id, name and parameters could mean two remembered calls: no link may be guessed. */
  readonly ambiguous: boolean
}

/** How many calls of one history a turn keeps at most; what further ones are is found anew each time, and not remembered. */
export const maximumKnown = 4_096

const optionsOf = (source: object): unknown => (source as { options?: unknown }).options

export class History {
  readonly pairing: Pairing
  readonly #turn: Turn
  readonly #limits: Limits
  readonly #known = new Map<object, KnownCall>()

  constructor(turn: Turn, pairing: Pairing, limits: Limits) {
    this.#turn = turn
    this.pairing = pairing
    this.#limits = limits
  }

  /** What is known of a call. `index` is its place among the calls: the host's prompt repeats the app's in order. */
  known(call: PairedCall, index: number): KnownCall {
    const original = this.pairing.calls[index]
    const source = original !== undefined && original.key === call.key ? original.source : call.source
    const known = this.#known.get(source)
    if (known !== undefined) return known
    const found = this.#find(call, source)
    if (this.#known.size < maximumKnown) this.#known.set(source, found)
    else this.#turn.observation.counters.untrackedCalls++
    return found
  }

  /** The calls of the history that this turn has dealt with. */
  *trackedCalls(): Iterable<TrackedCall> {
    for (const known of this.#known.values()) yield known.tracked
  }

  #find(call: PairedCall, source: object): KnownCall {
    const observation = this.#turn.observation
    const byIdentity = observation.identified(optionsOf(source)) ?? observation.identified(source) ??
      observation.identified(call.params)
    if (byIdentity !== undefined && (byIdentity.hostId ?? "") === (call.id ?? "")) {
      return { tracked: byIdentity, remembered: true, ambiguous: false }
    }
    const candidates = call.id === undefined || call.id === "" ? [] : this.#candidates(call.id, call)
    if (candidates.length === 1) return { tracked: candidates[0]!, remembered: true, ambiguous: false }
    const tracked = this.#fromHistory(call)
    if (candidates.length === 0) this.#readCarrier(tracked, call, source)
    return { tracked, remembered: false, ambiguous: candidates.length > 1 }
  }

  /** Takes what another process left for this one to link to. */
  #readCarrier(tracked: TrackedCall, call: PairedCall, source: object): void {
    const turn = this.#turn
    if (turn.carrier === "off") return
    const value = turn.carrier === "in-band" ? InBand.of(source) : turn.stored?.get(source)
    if (value === undefined) return
    const carried = Carrier.parse(value, {
      nowMillis: Number(turn.startTime / 1_000_000n),
      ttlMillis: this.#limits.openCallTtlMillis
    })
    if (carried === undefined) {
      turn.observation.counters.carriersIgnored++
      return
    }
    tracked.decision = carried.decided
    const asked = call.approvals.findLast((approval) => approval.requested !== undefined)
    if (asked === undefined || carried.asked === undefined) return
    const approval = tracked.approval(asked.approvalId)
    approval.asked = carried.asked
    approval.askedAt = carried.askedAt
  }

  /** The remembered calls of this conversation that have exactly this id, name, parameters and approvals. */
  #candidates(id: string, { approvals, name, params }: PairedCall): ReadonlyArray<TrackedCall> {
    const turn = this.#turn
    return candidatesFor(turn.observation.ledger.withId(id, Number(turn.startTime / 1_000_000n), this.#limits), {
      conversation: turn.place.conversation,
      name,
      params,
      approvals
    })
  }

  /** The remembered calls of this conversation that have this id, whatever their parameters. */
  sharingId(id: string): ReadonlyArray<TrackedCall> {
    const turn = this.#turn
    return turn.observation.ledger.withId(id, Number(turn.startTime / 1_000_000n), this.#limits).filter((tracked) =>
      sameConversation(tracked.conversation, turn.place.conversation)
    )
  }

  /** A call of which there is nothing but a result's id and name. */
  unknown(id: string | undefined, name: string, providerExecuted: boolean, key?: string): TrackedCall {
    const tool = toolNamed(this.#turn.tools, name)
    return new TrackedCall(
      {
        key: key ?? (id === undefined || id === "" ? Key.ofMissing(1) : Key.ofId(id, 1)),
        id: id === "" ? undefined : id,
        idSource: id === undefined || id === "" ? "missing" : "provider",
        occurrence: 1,
        name: tool?.name,
        requestedName: tool === undefined && name !== "" ? name : undefined,
        wireName: tool === undefined ? undefined : ToolFacts.ofTool(tool).wireName,
        providerExecuted
      },
      id,
      this.#turn.place.conversation,
      undefined
    )
  }

  #fromHistory(call: PairedCall): TrackedCall {
    const tools = this.#turn.tools
    const tool = toolNamed(tools, call.name)
    // A call that was asked for approval was in a toolkit once; any other name may be the model's invention.
    const name = tool?.name ?? (tools === undefined && call.approvals.length > 0 ? call.name : undefined)
    const wireName = tool === undefined ? undefined : ToolFacts.ofTool(tool).wireName
    return new TrackedCall(
      {
        key: call.key,
        id: call.id === "" ? undefined : call.id,
        idSource: call.idSource,
        occurrence: call.occurrence,
        name,
        requestedName: name === undefined && call.name !== "" ? call.name : undefined,
        wireName,
        providerExecuted: call.providerExecuted
      },
      call.id,
      this.#turn.place.conversation,
      Fingerprint.make(call.params)
    )
  }
}

const sameConversation = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other

/** Approval ids are made once: a call that was asked about under others only is not this one. */
const mayHave = (tracked: TrackedCall, approvals: PairedCall["approvals"]): boolean =>
  approvals.length === 0 || tracked.approvals.length === 0 ||
  approvals.some(({ approvalId }) => tracked.approvals.some((known) => known.approvalId === approvalId))

/** What tells a call from others of its id. */
export interface Wanted {
  readonly conversation: string | undefined
  readonly name: string
  readonly params: unknown
  readonly approvals: PairedCall["approvals"]
}

/** Which of the calls with one id are this one, by conversation, name, parameters and approvals. */
export const candidatesFor = (calls: ReadonlyArray<TrackedCall>, wanted: Wanted): ReadonlyArray<TrackedCall> => {
  if (calls.length === 0) return calls
  const fingerprint = Fingerprint.make(wanted.params)
  if (fingerprint === undefined) return []
  return calls.filter((tracked) => {
    const identity = tracked.call.identity
    return tracked.fingerprint === fingerprint && (identity.name ?? identity.requestedName) === wanted.name &&
      sameConversation(tracked.conversation, wanted.conversation) && mayHave(tracked, wanted.approvals)
  })
}
