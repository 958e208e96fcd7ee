/** The model asks for a tool: one call of a response, and its `tool_call` span until the approval's state is known. */
import type * as Tracer from "effect/Tracer"
import * as Fingerprint from "../lifecycle/Fingerprint.ts"
import type { Place } from "../lifecycle/SpanWriter.ts"
import type { ApprovalState } from "../lifecycle/ToolCall.ts"
import { TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as Arguments from "../pairing/Arguments.ts"
import type { Numbered } from "../pairing/Numbering.ts"
import type { DecidedCall } from "../pairing/Response.ts"
import type { Carrier } from "../lifecycle/carrier.ts"
import type { Request } from "./Request.ts"
import type { ResponsePart, Tool, Tools } from "./shape.ts"
import { toolNamed } from "./shape.ts"
import * as ToolFacts from "./toolFacts.ts"
import type { WireCall } from "./Wire.ts"

interface Draft {
  readonly hostId: string | undefined
  readonly name: string
  readonly params: unknown
  readonly providerExecuted: boolean
  readonly startTime: bigint
  readonly endTime: bigint
  readonly deltas: number | undefined
  readonly bytes: number | undefined
  readonly incomplete: boolean
  readonly wire: WireCall | undefined
  /** Only the wire tells of the call, no part of the host does. */
  readonly fromWire: boolean
}

/** The tool that the provider calls `wireName`. */
export const toolOnWire = (tools: Tools | undefined, wireName: string): Tool | undefined => {
  for (const name in tools) if (tools[name]?.providerName === wireName) return tools[name]
  return undefined
}

const hasNoId = (call: WireCall): boolean => call.id === undefined || call.id === ""

/** The wire's own call for a part: the first of its id that no other decision has, else by what else the part shows. */
const wireCallOf = (
  request: Request,
  id: string | undefined,
  name: string,
  providerExecuted: boolean
): WireCall | undefined => {
  const free = request.wireCalls.filter((call) => !request.taken.has(call))
  if (id !== undefined && id !== "") {
    const exact = free.find((call) => call.id === id) ?? free.find((call) => call.itemId === id)
    if (exact !== undefined) return exact
  }
  if (providerExecuted) {
    // The host makes up an id, or takes that of the call that was asked about.
    const approved = free.find((call) => call.approval !== undefined)
    if (approved !== undefined) return approved
  }
  const wireName = toolNamed(request.tools, name)?.providerName
  return free.find((call) =>
    hasNoId(call) && call.approval === undefined &&
    (call.name === name || call.name === wireName || call.otherName === name || call.name === "")
  )
}

/** A call without a name gets one from the host, which says nothing of the model. */
const nameOf = (draft: Draft): string => draft.wire?.name === "" ? "" : draft.name

/** A call that the provider asks approval for is one with the call that it runs later: the host's id tells them so. */
const numberOf = (request: Request, draft: Draft, providerId: string | undefined): Numbered =>
  draft.wire?.approval === undefined
    ? request.numbering.next(providerId, draft.hostId, draft.providerExecuted)
    : { ...request.numbering.next(draft.hostId, undefined, draft.providerExecuted), idSource: "synthesized" }

export class Decision {
  readonly tracked: TrackedCall
  hostId: string | undefined
  readonly params: unknown
  readonly endTime: bigint
  readonly place: Place
  readonly span: Tracer.Span
  readonly droppedArguments: number
  readonly incomplete: boolean
  wire: WireCall | undefined
  /** An execution of this decision has begun, or an approval of it was asked for. */
  taken = false
  /** A handler ran that could be this call's or another's: no link may be guessed. */
  indistinct = false
  /** Its part went out to the app. */
  seen = false
  /** What tells another process of it; completed in place when approval is asked. */
  carrier: Carrier | undefined
  #ended = false
  /** The wire gave no id, and the host's part has not been seen. */
  #hostIdOpen: boolean
  readonly #request: Request
  readonly #draft: Draft

  constructor(request: Request, draft: Draft) {
    const observation = request.observation
    const tools = request.tools
    const requested = nameOf(draft)
    const tool = toolNamed(tools, requested) ?? toolOnWire(tools, requested)
    // The wire decides whose id it is: one that only the host's part has was made up by the host.
    const providerId = draft.wire === undefined ? draft.hostId : draft.wire.id
    const numbered = numberOf(request, draft, providerId)
    const name = tool?.name
    if (draft.wire !== undefined) request.taken.add(draft.wire)
    this.#request = request
    this.#draft = draft
    this.hostId = draft.hostId
    this.#hostIdOpen = draft.fromWire && draft.wire?.id === undefined
    this.params = draft.params
    this.endTime = draft.endTime
    this.wire = draft.wire
    this.incomplete = draft.incomplete
    this.place = request.decisionPlace
    this.droppedArguments = draft.providerExecuted || draft.incomplete
      ? 0
      : Arguments.droppedCount(
        { params: draft.params, wireParams: draft.wire?.arguments },
        tool === undefined ? undefined : ToolFacts.ofTool(tool).parameters
      )
    this.tracked = new TrackedCall(
      {
        ...numbered,
        id: numbered.idSource === "provider" ? providerId : undefined,
        name,
        requestedName: name === undefined && requested !== "" ? requested : undefined,
        wireName: tool === undefined ? undefined : ToolFacts.ofTool(tool).wireName,
        providerExecuted: draft.providerExecuted
      },
      draft.hostId,
      this.place.conversation,
      draft.incomplete ? undefined : Fingerprint.make(draft.params)
    )
    observation.say(this.tracked, { _tag: "Decided" })
    observation.identify(draft.params, this.tracked)
    this.span = observation.writer.openDecision(this.place, this.tracked, draft.startTime)
    this.tracked.decision = this.span
  }

  static fromPart(
    request: Request,
    part: ResponsePart,
    startTime: bigint,
    endTime: bigint,
    deltas: number | undefined,
    bytes: number | undefined
  ): Decision {
    return new Decision(request, {
      hostId: part.id,
      name: part.name ?? "",
      params: part.params,
      providerExecuted: part.providerExecuted === true,
      startTime,
      endTime,
      deltas,
      bytes,
      incomplete: false,
      wire: wireCallOf(request, part.id, part.name ?? "", part.providerExecuted === true),
      fromWire: false
    })
  }

  /** A call whose part never came: the wire may have had all of it all the same. */
  static unfinished(
    request: Request,
    id: string,
    partial: { name: string; providerExecuted: boolean; startTime: bigint; deltas: number; bytes: number },
    endTime: bigint
  ): Decision {
    const wire = wireCallOf(request, id, partial.name, partial.providerExecuted)
    if (wire?.complete === true) return Decision.fromWire(request, wire, id)
    return new Decision(request, {
      hostId: id,
      name: partial.name,
      params: undefined,
      providerExecuted: partial.providerExecuted,
      startTime: partial.startTime,
      endTime,
      deltas: partial.deltas,
      bytes: partial.bytes,
      incomplete: true,
      wire,
      fromWire: false
    })
  }

  static fromWire(request: Request, wire: WireCall, hostId = wire.id ?? wire.approval?.id): Decision {
    const tools = request.tools
    return new Decision(request, {
      hostId,
      name: toolNamed(tools, wire.name)?.name ?? toolOnWire(tools, wire.name)?.name ?? wire.name,
      params: wire.arguments,
      providerExecuted: wire.providerExecuted,
      startTime: wire.startTime,
      endTime: wire.endTime,
      deltas: wire.deltas,
      bytes: wire.bytes,
      incomplete: !wire.complete,
      wire,
      fromWire: true
    })
  }

  /** Whether a call on the wire that has no decision yet is this one. */
  answersTo(call: WireCall): boolean {
    return this.wire === undefined && this.hostId !== undefined && this.hostId !== "" && this.hostId === call.id
  }

  /** Takes the id that the host made up, when this is its call: the same tool and parameters, and no id on the wire. */
  adopts(hostId: string | undefined, name: string, params: unknown): boolean {
    if (!this.#hostIdOpen || hostId === undefined || this.#draft.name !== name) return false
    if (Fingerprint.make(params) !== this.tracked.fingerprint) return false
    this.#hostIdOpen = false
    this.hostId = hostId
    this.tracked.hostId = hostId
    return true
  }

  /** The call as the check of the response takes it. */
  get decided(): DecidedCall {
    const wire = this.wire
    return {
      id: wire === undefined || wire.approval !== undefined ? this.hostId : wire.id,
      hostId: this.hostId,
      name: nameOf(this.#draft),
      wireNames: wire === undefined ? undefined : [wire.name, wire.otherName],
      providerExecuted: this.#draft.providerExecuted,
      params: this.incomplete ? undefined : this.params,
      wireParams: wire?.arguments,
      argumentFault: this.incomplete ? undefined : wire?.fault
    }
  }

  /** Ends the span, once, when the approval's state is known. */
  end(approval: ApprovalState, approvalId: string | undefined): void {
    if (this.#ended) return
    this.#ended = true
    const draft = this.#draft
    const unknown = this.tracked.call.identity.name === undefined && !draft.providerExecuted &&
      this.#request.tools !== undefined
    const unparsable = !this.incomplete && this.wire?.fault !== undefined
    this.#request.observation.writer.endDecision(this.place, this.span, this.tracked, {
      approval,
      approvalId,
      deltas: this.wire?.deltas ?? draft.deltas,
      bytes: this.wire?.bytes ?? draft.bytes,
      incomplete: this.incomplete,
      droppedArguments: this.droppedArguments,
      wireItemId: this.wire?.itemId,
      callerId: this.wire?.callerId,
      errorType: unknown ? "unknown_tool" : unparsable ? "argument_parse_error" : undefined,
      arguments: this.params,
      argumentsText: this.incomplete ? undefined : this.wire?.text
    }, this.endTime)
  }
}
