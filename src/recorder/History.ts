/** The history that a request carries: its faults, its results, and the calls that are remembered of it. */
import type { ViolationFacts } from "../lifecycle/SpanWriter.ts"
import { TrackedCall } from "../lifecycle/TrackedCall.ts"
import type { Message } from "../pairing/History.ts"
import type { PairedCall, PairedResult, Pairing } from "../pairing/Pairing.ts"
import { pair } from "../pairing/Pairing.ts"
import * as ToolNames from "../pairing/ToolNames.ts"
import { toolNamed } from "./Decision.ts"
import type { RecordedTool } from "./Input.ts"
import * as Parameters from "./parameters.ts"
import type { Session } from "./Session.ts"

/** A call of the history: what is remembered of it, or what the history alone tells. */
export interface KnownCall {
  readonly tracked: TrackedCall
  readonly remembered: boolean
  readonly ambiguous: boolean
}

const sameConversation = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other

/** The remembered calls of this id in this conversation. */
export const remembered = (
  session: Session,
  id: string,
  conversation: string | undefined
): ReadonlyArray<TrackedCall> =>
  session.withId(id).filter((tracked) => sameConversation(tracked.conversation, conversation))

export class History {
  readonly pairing: Pairing
  /** Faults of the history but those of calls that wait for an approval. */
  readonly violations: ReadonlyArray<ViolationFacts>
  /** Calls without a result that wait for an answer, though the conversation went on. */
  readonly abandoned: ReadonlyArray<TrackedCall>
  readonly #session: Session
  readonly #conversation: string | undefined
  readonly #tools: ReadonlyArray<RecordedTool> | undefined
  readonly #known = new Map<PairedCall, KnownCall>()
  #byId: Map<string | undefined, Array<PairedCall>> | undefined

  constructor(
    session: Session,
    messages: ReadonlyArray<Message>,
    conversation: string | undefined,
    tools: ReadonlyArray<RecordedTool> | undefined
  ) {
    this.#session = session
    this.#conversation = conversation
    this.#tools = tools
    this.pairing = pair(messages, tools === undefined ? {} : { sameTool: ToolNames.sameTool(ToolNames.of(tools)) })
    const last = Math.max(this.pairing.lastAssistant, this.pairing.lastUser)
    const waiting = new Set<string>()
    const left: Array<TrackedCall> = []
    for (const call of this.pairing.calls) {
      if (call.results.length > 0) continue
      const { remembered, tracked } = this.known(call)
      if (!remembered || tracked.call.approval !== "pending") continue
      if (call.message < last) left.push(tracked)
      else waiting.add(call.key)
    }
    this.abandoned = left
    this.violations = this.pairing.violations.filter((violation) =>
      violation.kind !== "unanswered_call" || !waiting.has(violation.key ?? "")
    )
  }

  /** What is known of a call of this history. */
  known(call: PairedCall): KnownCall {
    const known = this.#known.get(call)
    if (known !== undefined) return known
    const found = this.#find(call)
    this.#known.set(call, found)
    return found
  }

  /** The calls of this id, in their order. */
  withId(id: string): ReadonlyArray<PairedCall> {
    this.#byId ??= Map.groupBy(this.pairing.calls, (call) => call.id)
    return this.#byId.get(id) ?? []
  }

  #find(call: PairedCall): KnownCall {
    const own = this.#session.calls.get(call.source)
    if (own !== undefined && (own.hostId ?? "") === (call.id ?? "")) {
      return { tracked: own, remembered: true, ambiguous: false }
    }
    const fingerprint = Parameters.fingerprint(call.params)
    const candidates = call.id === undefined || call.id === "" || fingerprint === undefined
      ? []
      : remembered(this.#session, call.id, this.#conversation).filter((tracked) => {
        const { name, requestedName } = tracked.call.identity
        return tracked.fingerprint === fingerprint && (name ?? requestedName) === call.name
      })
    const only = candidates.length === 1 ? candidates[0] : undefined
    if (only !== undefined) return { tracked: only, remembered: true, ambiguous: false }
    return { tracked: this.#fromHistory(call, fingerprint), remembered: false, ambiguous: candidates.length > 1 }
  }

  #fromHistory(call: PairedCall, fingerprint: string | undefined): TrackedCall {
    return this.#made(call, call.name, call.occurrence, call.idSource, call.providerExecuted, fingerprint)
  }

  /** The call of a result whose call is not in the history. */
  orphan(result: PairedResult): TrackedCall {
    const known = result.id !== undefined && result.id !== ""
    return this.#made(result, result.name ?? "", 1, known ? "provider" : "missing", false, undefined)
  }

  #made(
    of: { readonly id: string | undefined; readonly key: string },
    name: string,
    occurrence: number,
    idSource: "provider" | "missing",
    providerExecuted: boolean,
    fingerprint: string | undefined
  ): TrackedCall {
    const tool = toolNamed(this.#tools, name)
    const known = this.#tools === undefined && name !== "" ? name : tool?.name
    return new TrackedCall(
      {
        key: of.key,
        id: of.id === "" ? undefined : of.id,
        idSource,
        occurrence,
        // A name from a history may be the model's invention, unless a toolkit has it.
        name: known,
        requestedName: known === undefined && name !== "" ? name : undefined,
        wireName: tool?.wireName,
        providerExecuted
      },
      of.id,
      this.#conversation,
      fingerprint
    )
  }

  /** The results that stand after the last assistant message and that no earlier request carried. */
  fresh(): ReadonlyArray<PairedResult> {
    const { lastAssistant, results } = this.pairing
    return results.filter((result) => {
      if (result.message <= lastAssistant || this.#session.carried.has(result.source)) return false
      this.#session.carried.add(result.source)
      return true
    })
  }
}
