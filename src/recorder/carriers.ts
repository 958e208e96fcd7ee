/** What takes a call to another process: the spans that those of that process link to. */
import * as Carrier from "../lifecycle/carrier.ts"
import { TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as Key from "../pairing/Key.ts"
import * as Loose from "../pairing/Loose.ts"
import { toolNamed } from "./Decision.ts"
import { remembered } from "./History.ts"
import type { RecordedTool, ResumedInput } from "./Input.ts"
import * as Parameters from "./parameters.ts"
import type * as Refusal from "./Refusal.ts"
import type { Session } from "./Session.ts"

/** The carrier of a call, with the approval that is asked. */
export const of = (session: Session, tracked: TrackedCall): Carrier.Carrier | Refusal.Refusal => {
  if (tracked.decision === undefined) return session.refuse("unknown_decision")
  const carrier: Carrier.Carrier = { v: 1, decided: Carrier.write(tracked.decision) }
  const approval = tracked.approvals.find((one) => one.approvalId === tracked.call.approvalId)
  if (approval?.asked !== undefined) carrier.asked = Carrier.write(approval.asked)
  if (approval?.askedAt !== undefined) carrier.askedAt = Number(approval.askedAt / 1_000_000n)
  return carrier
}

/** The call of another process, as it stood when its carrier was made. */
export const resume = (
  session: Session,
  conversation: string | undefined,
  tools: ReadonlyArray<RecordedTool> | undefined,
  input: ResumedInput
): TrackedCall | Refusal.Refusal => {
  const { arguments: params, id, key = Key.ofId(id, 1) } = input
  const name = Loose.text(input.name)
  const carried = input.carrier === undefined ? undefined : Carrier.parse(input.carrier, {
    nowMillis: session.millis(),
    ttlMillis: session.surroundings.settings.openCallTtlMillis
  })
  if (input.carrier !== undefined && carried === undefined) return session.refuse("unreadable_carrier")
  const known = remembered(session, id, conversation).filter(({ decision }) =>
    carried === undefined ||
    decision?.spanId === carried.decided.spanId && decision.traceId === carried.decided.traceId
  )
  if (carried === undefined && known.length > 1) return session.refuse("ambiguous_call")
  if (known[0] !== undefined) return known[0]
  const occurrence = Number(/#(\d+)$/.exec(key)?.[1] ?? 1)
  if (id === "" || key !== Key.ofId(id, occurrence)) return session.refuse("unknown_call")
  const tool = toolNamed(tools, name)
  const toolName = tools === undefined && name !== "" ? name : tool?.name
  const tracked = new TrackedCall(
    {
      key,
      id,
      idSource: "provider",
      occurrence,
      name: toolName,
      requestedName: toolName === undefined && name !== "" ? name : undefined,
      wireName: tool?.wireName,
      providerExecuted: false
    },
    id,
    conversation,
    "arguments" in input ? Parameters.fingerprint(params) : undefined
  )
  session.say(tracked, { _tag: "Decided" })
  tracked.decision = carried?.decided
  const approvalId = Loose.id(input.approvalId)
  if (carried?.asked !== undefined || carried === undefined && approvalId !== undefined) {
    const approval = tracked.approval(approvalId ?? key)
    session.say(tracked, { _tag: "ApprovalRequested", approvalId: approval.approvalId })
    approval.asked = carried?.asked
    approval.askedAt = carried?.askedAt
  }
  session.remember(tracked)
  return tracked
}
