import type { ViolationKind, ViolationScope } from "../semconv/violation.ts"
import type { ApprovalRequestPart, ApprovalResponsePart, CallPart, Message, ResultPart } from "./History.ts"
import * as Key from "./Key.ts"
import type { OpenApproval, OpenCall, Group } from "./OpenCall.ts"
import { groupOf, noAnswers, noApprovals, noResults } from "./OpenCall.ts"
import type { Approval, ApprovalAnswer, PairedResult, PairOptions } from "./Pairing.ts"
import type { Position, Subject, Violation } from "./Violation.ts"
import * as Fault from "./Violation.ts"

/** One pass over a history. */
export class Walk {
  readonly calls: Array<OpenCall> = []
  readonly results: Array<PairedResult> = []
  readonly approvals: Array<OpenApproval> = []
  readonly occurrences = new Map<string, number>()
  readonly violations: Array<Violation> = []
  missing = 0
  lastAssistant = -1
  lastUser = -1
  readonly messages: ReadonlyArray<Message>
  readonly scope: ViolationScope
  readonly #options: PairOptions
  readonly #latest = new Map<string | undefined, OpenCall>()
  // Only for ids that more than one call has: the groups that may still have calls without a result, latest on top.
  #open: Map<string | undefined, Array<Group>> | undefined
  #requests: Map<string, OpenApproval> | undefined

  constructor(messages: ReadonlyArray<Message>, options: PairOptions) {
    this.messages = messages
    this.#options = options
    this.scope = options.scope ?? "conversation"
  }

  run(): void {
    for (let index = 0; index < this.messages.length; index++) {
      const message = this.messages[index]!
      if (message.role === "assistant") this.lastAssistant = index
      else if (message.role === "user") this.lastUser = index
      const parts = message.parts
      for (let part = 0; part < parts.length; part++) {
        const entry = parts[part]!
        switch (entry.type) {
          case "call":
            this.#call(entry, index, part)
            break
          case "result":
            this.#result(entry, index, part)
            break
          case "approval-request":
            this.#request(entry, index, part)
            break
          case "approval-response":
            this.#answer(entry, index, part)
            break
        }
      }
    }
    for (const approval of this.approvals) this.#settle(approval)
  }

  /** Where a part stands in the original. */
  at(message: number, part: number): Position {
    const items = this.messages[message]?.items
    return items === undefined ? { message, part } : { message: items[part] ?? message, part: 0 }
  }

  /** Whether an answer reaches the call: the host looks up the last request of an approval id and the last call of an id. */
  reaches(call: OpenCall): boolean {
    return this.#latest.get(call.id)?.message === call.message &&
      call.approvals.some((approval) =>
        approval.answers.length > 0 && this.#requests?.get(approval.approvalId)?.callId === call.id
      )
  }

  tell(kind: ViolationKind, about: Subject, message: number, part: number): void {
    this.violations.push(Fault.make(kind, this.scope, about, this.at(message, part)))
  }

  #call(entry: CallPart, message: number, part: number): void {
    const { id } = entry
    const before = this.#latest.get(id)
    if (before !== undefined && entry.providerExecuted && this.#continues(before, message)) return
    const known = id !== undefined && id !== ""
    const occurrence = known ? (this.occurrences.get(id) ?? 0) + 1 : 1
    const call: OpenCall = {
      id,
      name: entry.name,
      params: entry.params,
      providerExecuted: entry.providerExecuted,
      caller: entry.caller,
      key: known ? Key.ofId(id, occurrence) : Key.ofMissing(++this.missing),
      occurrence,
      idSource: known ? "provider" : "missing",
      message,
      part,
      source: entry.source,
      results: noResults,
      approvals: noApprovals,
      state: "not_required",
      group: undefined
    }
    this.calls.push(call)
    if (known) this.occurrences.set(id, occurrence)
    else this.tell(id === undefined ? "missing_id" : "empty_id", call, message, part)
    if (occurrence > 1) this.tell("duplicate_id", call, message, part)
    if (before !== undefined) this.#again(before, call)
    this.#latest.set(id, call)
  }

  // A provider that was allowed to run its own call repeats the call beside the result: still one call.
  #continues(before: OpenCall, message: number): boolean {
    return before.providerExecuted && before.results.length === 0 &&
      before.message < message && before.message > this.lastUser
  }

  #again(before: OpenCall, call: OpenCall): void {
    const open = this.#open ??= new Map()
    let groups = open.get(call.id)
    if (groups === undefined) {
      groups = before.results.length > 0 ? [] : [groupOf(before)]
      open.set(call.id, groups)
    }
    let group: Group
    if (before.message === call.message) {
      group = groupOf(before)
      group.calls.push(call)
    } else {
      group = { calls: [call], answered: 0, asked: 0, lastAsked: undefined, told: false }
    }
    call.group = group
    if (groups[groups.length - 1] !== group) groups.push(group)
  }

  #answeredBy(latest: OpenCall): OpenCall | undefined {
    const groups = this.#open?.get(latest.id)
    if (groups === undefined) return latest.results.length > 0 ? undefined : latest
    for (let group = groups[groups.length - 1]; group !== undefined; group = groups[groups.length - 1]) {
      if (group.answered < group.calls.length) return group.calls[group.answered++]
      groups.pop()
    }
    return undefined
  }

  #result(entry: ResultPart, message: number, part: number): void {
    const { id, name } = entry
    const latest = this.#latest.get(id)
    const first = latest === undefined ? undefined : this.#answeredBy(latest)
    const call = first ?? latest
    const result: PairedResult = {
      id,
      call,
      key: call !== undefined
        ? call.key
        : id === undefined || id === ""
        ? Key.ofMissing(++this.missing)
        : Key.ofId(id, 1),
      name,
      isFailure: entry.isFailure,
      result: entry.result,
      inTool: this.messages[message]?.role === "tool",
      message,
      part,
      source: entry.source
    }
    this.results.push(result)
    if (call === undefined) {
      if (this.#options.callsElsewhere !== true) this.tell("orphan_result", result, message, part)
      return
    }
    if (call.results === noResults) call.results = [result]
    else call.results.push(result)
    if (first === undefined) this.tell("duplicate_result", call, message, part)
    if (name !== undefined && name !== "" && name !== call.name) this.#named(call, name, message, part)
  }

  #named(call: OpenCall, name: string, message: number, part: number): void {
    if (call.name === "") {
      call.name = name
    } else if (this.#options.sameTool?.(call.name, name) !== true) {
      this.tell("renamed_tool", { id: call.id, key: call.key, name: call.name, otherName: name }, message, part)
    }
  }

  #request(entry: ApprovalRequestPart, message: number, part: number): void {
    const latest = this.#latest.get(entry.callId)
    const call = latest?.group === undefined ? latest : this.#askable(latest.group) ?? latest
    const approval = this.#approval(entry.approvalId, entry.callId, call, { message, part, source: entry.source })
    if (call === undefined) return
    if (call.approvals === noApprovals) call.approvals = [approval]
    else call.approvals.push(approval)
  }

  /** The next call of a group that a request can be about, else the one before it once more. */
  #askable(group: Group): OpenCall | undefined {
    const asks = this.#options.asksApproval
    while (group.asked < group.calls.length) {
      const call = group.calls[group.asked++]!
      if (asks === undefined || asks(call.name)) return group.lastAsked = call
    }
    return asks === undefined ? undefined : group.lastAsked
  }

  #approval(
    approvalId: string,
    callId: string | undefined,
    call: OpenCall | undefined,
    requested: Approval["requested"]
  ): OpenApproval {
    const approval: OpenApproval = {
      approvalId,
      callId,
      call,
      requested,
      answers: noAnswers,
      state: "pending"
    }
    this.approvals.push(approval)
    const requests = this.#requests ??= new Map()
    requests.set(approvalId, approval)
    return approval
  }

  #answer(entry: ApprovalResponsePart, message: number, part: number): void {
    const approval = this.#requests?.get(entry.approvalId) ??
      this.#approval(entry.approvalId, undefined, undefined, undefined)
    const answer: ApprovalAnswer = {
      approved: entry.approved,
      reason: entry.reason,
      message,
      part,
      source: entry.source
    }
    if (approval.answers === noAnswers) approval.answers = [answer]
    else approval.answers.push(answer)
  }

  // One approving answer is enough for the host to run the call, whatever the others say.
  #settle(approval: OpenApproval): void {
    if (approval.answers.length > 0) {
      approval.state = approval.answers.some((answer) => answer.approved) ? "approved" : "denied"
    } else if (
      approval.requested !== undefined &&
      approval.requested.message < Math.max(this.lastAssistant, this.lastUser) &&
      // A result that somebody put there settles the question without an answer.
      (approval.call === undefined || approval.call.results.length === 0)
    ) {
      approval.state = "abandoned"
    }
    if (approval.call !== undefined) approval.call.state = approval.state
  }
}
