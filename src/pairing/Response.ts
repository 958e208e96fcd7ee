import type { ArgumentFault } from "./Arguments.ts"
import * as Arguments from "./Arguments.ts"
import type { Numbered, NumberedPrompt } from "./Numbering.ts"
import * as Numbering from "./Numbering.ts"
import type { ToolFacts } from "./ToolNames.ts"
import * as ToolNames from "./ToolNames.ts"
import type { Violation } from "./Violation.ts"
import * as Fault from "./Violation.ts"

/** A call as one response decided it. */
export interface DecidedCall {
  /** As the provider gave it: an empty id stays empty, a missing one is `undefined`. */
  readonly id: string | undefined
  /** The id that the host made up when the provider gave none. */
  readonly hostId?: string | undefined
  /** The name that the host's part has. */
  readonly name: string
  /** The names on the wire, one per fragment that had one, in their order. */
  readonly wireNames?: ReadonlyArray<string | null | undefined> | undefined
  readonly providerExecuted: boolean
  /** The encoded arguments of the host's part; only keys are looked at. */
  readonly params?: unknown
  /** The arguments on the wire; only keys are looked at. */
  readonly wireParams?: unknown
  /** Set when the host could not parse the arguments. */
  readonly argumentFault?: ArgumentFault | undefined
}

/** What the calls of a response are held against. */
export interface ResponseContext {
  /** The prompt that was answered: its ids count on. */
  readonly prompt?: NumberedPrompt | undefined
  /** The toolkit of the turn; absent when it is not known, and then no tool is unknown. */
  readonly tools?: ReadonlyArray<ToolFacts> | undefined
}

/** What a check of a response found. */
export interface ResponseCheck {
  /** One per call, in their order. */
  readonly calls: ReadonlyArray<Numbered & { readonly droppedArguments: number }>
  readonly violations: ReadonlyArray<Violation>
}

const secondName = (call: DecidedCall): { readonly name: string; readonly otherName: string } | undefined => {
  const names = (call.wireNames ?? []).filter((name): name is string => typeof name === "string" && name !== "")
  const name = names[0]
  const otherName = names.find((one) => one !== name)
  return name === undefined || otherName === undefined ? undefined : { name, otherName }
}

/**
 * Checks the calls of one response: ids, names and arguments. `message` of a violation is the index of the call.
 *
 * Faults have the scope `response`; an id that the prompt has already is a `duplicate_id` of scope `conversation`.
 * An invented name is in no violation.
 */
export const checkResponse = (calls: ReadonlyArray<DecidedCall>, context: ResponseContext = {}): ResponseCheck => {
  const names = context.tools === undefined ? undefined : ToolNames.of(context.tools)
  const numbering = Numbering.after(context.prompt)
  const violations: Array<Violation> = []
  const numbered = calls.map((call, index) => {
    const number = numbering.next(call.id, call.hostId, call.providerExecuted)
    const wireFor = names === undefined ? undefined : ToolNames.toolkitNameFor(names, call.name)
    const tool = names?.byName.get(wireFor ?? call.name)
    const about = {
      id: call.id,
      key: number.key,
      name: names === undefined ? call.name : tool?.name
    }
    const at = { message: index, part: 0 }
    const tell = (kind: Violation["kind"], more?: Fault.Subject, scope: Violation["scope"] = "response") => {
      violations.push(Fault.make(kind, scope, { ...about, ...more }, at))
    }
    if (call.id === undefined) tell("missing_id")
    else if (call.id === "") tell("empty_id")
    else if (numbering.inResponse(call.id) > 1) tell("duplicate_id")
    else if (numbering.inResponse(call.id) === 1 && number.occurrence > 1) {
      tell("duplicate_id", undefined, "conversation")
    }
    const renamed = secondName(call)
    if (renamed !== undefined) tell("renamed_tool", renamed)
    if (!call.providerExecuted && wireFor !== undefined) {
      tell("wire_name_mismatch", { name: call.name, otherName: wireFor })
    } else if (!call.providerExecuted && names !== undefined && tool === undefined) tell("unknown_tool")
    if (call.argumentFault !== undefined) {
      tell("argument_parse_error", { truncated: call.argumentFault === "truncated" })
    }
    const droppedArguments = call.providerExecuted || call.argumentFault !== undefined
      ? 0
      : Arguments.droppedCount(call, tool?.parameters)
    if (droppedArguments > 0) tell("dropped_argument")
    return { ...number, droppedArguments }
  })
  return { calls: numbered, violations }
}
