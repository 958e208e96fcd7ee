/** A call that the model asked for in this turn, and its span until the approval's state is known. */
import type * as Tracer from "effect/Tracer"
import type { Place } from "../lifecycle/SpanWriter.ts"
import { TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as Arguments from "../pairing/Arguments.ts"
import * as Loose from "../pairing/Loose.ts"
import type { Numbered } from "../pairing/Numbering.ts"
import type { DecidedCall } from "../pairing/Response.ts"
import type { DecidedInput, RecordedTool } from "./Input.ts"
import * as Parameters from "./parameters.ts"
import type { Session } from "./Session.ts"

/** The tool with this name, or with this name on the wire. */
export const toolNamed = (
  tools: ReadonlyArray<RecordedTool> | undefined,
  name: string
): RecordedTool | undefined =>
  tools?.find((tool) => tool.name === name) ?? tools?.find((tool) => tool.wireName === name)

/** What the app told, read once: its object may be another by the end, and its texts may be none. */
export const read = (told: DecidedInput): DecidedInput => {
  const { bytes, deltas, discarded, incomplete, itemId, providerExecuted, argumentFault, source, startTime } = told
  return {
    id: Loose.id(told.id),
    hostId: Loose.id(told.hostId),
    name: Loose.text(told.name),
    arguments: told.arguments,
    bytes,
    deltas,
    incomplete,
    discarded,
    itemId,
    providerExecuted,
    argumentFault,
    source,
    startTime
  }
}

export class Decision {
  readonly tracked: TrackedCall
  readonly span: Tracer.Span
  readonly input: DecidedInput
  readonly #session: Session
  readonly #place: Place
  readonly #endTime: bigint
  readonly #unknown: boolean
  readonly droppedArguments: number
  readonly arguments: unknown
  readonly #keyed: unknown
  #ended = false

  constructor(
    session: Session,
    place: Place,
    numbered: Numbered,
    input: DecidedInput,
    tools: ReadonlyArray<RecordedTool> | undefined
  ) {
    const tool = toolNamed(tools, input.name)
    const name = tools === undefined && input.name !== "" ? input.name : tool?.name
    this.input = input
    this.arguments = Parameters.valueOf(input.arguments)
    this.#keyed = Parameters.readable(this.arguments)
    this.#session = session
    this.#place = place
    this.#endTime = session.now()
    this.#unknown = tools !== undefined && tool === undefined && input.providerExecuted !== true
    this.droppedArguments = input.providerExecuted === true || input.incomplete === true ||
        input.argumentFault !== undefined
      ? 0
      : Arguments.droppedCount({ params: this.#keyed }, tool?.parameters)
    this.tracked = new TrackedCall(
      {
        ...numbered,
        id: numbered.idSource === "provider" ? input.id : undefined,
        name,
        requestedName: name === undefined && input.name !== "" ? input.name : undefined,
        wireName: tool?.wireName,
        providerExecuted: input.providerExecuted === true
      },
      input.hostId ?? input.id,
      place.conversation,
      input.incomplete === true ? undefined : Parameters.fingerprint(this.arguments)
    )
    const startTime = typeof input.startTime === "bigint" && input.startTime < this.#endTime
      ? input.startTime
      : this.#endTime
    session.say(this.tracked, { _tag: "Decided" })
    this.span = session.writer.openDecision(place, this.tracked, startTime)
    this.tracked.decision = this.span
    session.recognise(input.source, this.tracked)
    session.remember(this.tracked)
  }

  /** The call as the check of the response takes it. */
  get decided(): DecidedCall {
    const { argumentFault, hostId, id, incomplete, name, providerExecuted } = this.input
    return {
      id,
      hostId,
      name,
      providerExecuted: providerExecuted === true,
      params: incomplete === true || argumentFault !== undefined ? undefined : this.#keyed,
      argumentFault: incomplete === true ? undefined : argumentFault
    }
  }

  /** Ends the span, once, when the approval's state is known. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    const { argumentFault, bytes, deltas, incomplete, itemId } = this.input
    const { approval, approvalId } = this.tracked.call
    this.#session.writer.endDecision(this.#place, this.span, this.tracked, {
      approval,
      approvalId,
      deltas,
      bytes,
      incomplete: incomplete === true,
      droppedArguments: this.droppedArguments,
      wireItemId: itemId,
      callerId: undefined,
      errorType: this.#unknown
        ? "unknown_tool"
        : argumentFault !== undefined && incomplete !== true
        ? "argument_parse_error"
        : undefined,
      arguments: this.arguments,
      // A text that is no JSON is written as it stands.
      argumentsText: argumentFault !== undefined && typeof this.input.arguments === "string"
        ? this.input.arguments
        : undefined
    }, this.#endTime)
  }
}
