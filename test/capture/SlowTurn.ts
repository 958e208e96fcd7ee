/** What the contract says of the faults of one turn, written to be obvious and not to be fast. */
import type { Message, Part, TurnRecord } from "./TurnRecord.ts"

export interface SlowFault {
  readonly span: "turn" | "chat"
  readonly kind: string
  readonly scope: string
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly key?: string | undefined
  readonly approvalId?: string | undefined
  readonly otherName?: string | undefined
}

interface SlowCall {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly message: number
  readonly params: unknown
  readonly atProvider: boolean
  readonly results: Array<number>
  pending: boolean
}

interface SlowRequest {
  readonly approvalId: string
  readonly callId: string
  readonly call: SlowCall | undefined
  readonly message: number
  readonly answers: Array<{ readonly approved: boolean; readonly place: number }>
}

export interface SlowTools {
  readonly names: ReadonlyArray<string>
  /** The name on the wire of those that have another one. */
  readonly wireNames: Readonly<Record<string, string>>
  readonly wantApproval: ReadonlyArray<string>
  readonly parameters: Readonly<Record<string, string>>
}

const keyOf = (id: string, occurrence: number): string =>
  id.replace(/[%#]|^\?/g, (sign) => encodeURIComponent(sign)) + (occurrence === 1 ? "" : `#${occurrence}`)

interface SlowHistory {
  readonly calls: ReadonlyArray<SlowCall>
  readonly requests: ReadonlyArray<SlowRequest>
  /** Answers to what nobody asked before. */
  readonly unmatched: ReadonlyArray<string>
  /** Results in tool messages: the id and the place of each. */
  readonly toolResults: ReadonlyArray<{ readonly id: string; readonly place: number }>
  readonly occurrences: (id: string) => number
  readonly missing: number
  readonly last: (role: Message["role"]) => number
  readonly faults: ReadonlyArray<SlowFault>
}

const historyOf = (messages: ReadonlyArray<Message>, tools: SlowTools): SlowHistory => {
  const calls: Array<SlowCall> = []
  const requests: Array<SlowRequest> = []
  const unmatched: Array<string> = []
  const toolResults: Array<{ readonly id: string; readonly place: number }> = []
  const faults: Array<SlowFault> = []
  let missing = 0
  let place = 0
  const tell = (kind: string, about: Omit<SlowFault, "span" | "kind" | "scope">) =>
    faults.push({ span: "chat", scope: "conversation", kind, ...about })
  const usersBetween = (from: number, to: number) =>
    messages.slice(from + 1, to).some((message) => message.role === "user")
  const onCall = (part: Part, message: number) => {
    const { id, name } = part
    const same = calls.filter((call) => call.id === id)
    const before = same.at(-1)
    // A provider that goes on with its own call repeats it.
    if (
      part.providerExecuted && before?.atProvider === true && before.results.length === 0 &&
      before.message < message && !usersBetween(before.message, message)
    ) return
    const key = id === "" ? `?${++missing}` : keyOf(id, same.length + 1)
    calls.push({
      id,
      name,
      key,
      message,
      params: part.params,
      atProvider: part.providerExecuted,
      results: [],
      pending: false
    })
    if (id === "") tell("empty_id", { key, name })
    else if (same.length > 0) tell("duplicate_id", { id, key, name })
  }
  const onResult = (part: Part, message: number) => {
    const { id, name } = part
    if (messages[message]?.role === "tool") toolResults.push({ id, place })
    const same = calls.filter((call) => call.id === id)
    const open = same.filter((call) => call.results.length === 0)
    const latest = Math.max(...open.map((call) => call.message))
    const call = open.find((one) => one.message === latest) ?? same.at(-1)
    if (call === undefined) {
      tell("orphan_result", { id, key: id === "" ? `?${++missing}` : keyOf(id, 1), name })
      return
    }
    if (call.results.length > 0) tell("duplicate_result", { id, key: call.key, name: call.name })
    call.results.push(place)
    if (name !== call.name) tell("renamed_tool", { id, key: call.key, name: call.name, otherName: name })
  }
  const onRequest = (part: Part, message: number) => {
    const same = calls.filter((call) => call.id === part.toolCallId)
    const latest = same.filter((call) => call.message === same.at(-1)?.message)
    const wanting = latest.filter((call) => tools.wantApproval.includes(call.name))
    const askable = wanting.length > 0 ? wanting : latest
    const call = askable.find((one) => requests.every((request) => request.call !== one)) ?? askable.at(-1)
    requests.push({ approvalId: part.approvalId, callId: part.toolCallId, call, message, answers: [] })
  }
  messages.forEach(({ parts }, message) =>
    parts.forEach((part) => {
      place++
      if (part.type === "tool-call") onCall(part, message)
      if (part.type === "tool-result") onResult(part, message)
      if (part.type === "tool-approval-request") onRequest(part, message)
      if (part.type === "tool-approval-response") {
        const request = requests.findLast((one) => one.approvalId === part.approvalId)
        if (request === undefined) unmatched.push(part.approvalId)
        else request.answers.push({ approved: part.approved, place })
      }
    })
  )
  const last = (role: Message["role"]) => messages.findLastIndex((message) => message.role === role)
  for (const { answers, call, message } of requests) {
    if (call !== undefined) {
      call.pending = answers.length === 0 && message >= Math.max(last("user"), last("assistant"))
    }
  }
  const excused = (call: SlowCall) => call.pending || (call.atProvider && call.message === messages.length - 1)
  const told = new Set<string>()
  for (const call of calls) {
    const together = calls.filter((one) => one.id === call.id && one.message === call.message)
    const group = `${call.message} ${call.id}`
    if (told.has(group) || together.some((one) => one.results.length > 0) || excused(call)) continue
    told.add(group)
    tell("unanswered_call", { id: call.id, key: call.key, name: call.name })
  }
  const occurrences = (id: string) => calls.filter((call) => call.id === id).length
  return { calls, requests, unmatched, toolResults, occurrences, missing, last, faults }
}

const responseFaults = (
  prompt: SlowHistory,
  parts: ReadonlyArray<Part>,
  tools: SlowTools
): ReadonlyArray<SlowFault> => {
  const faults: Array<SlowFault> = []
  const whole = parts.filter((part) => part.type === "tool-call")
  const begun = parts.filter((part, index) =>
    part.type === "tool-params-start" &&
    !parts.slice(index).some((later) => later.type === "tool-call" && later.id === part.id)
  )
  const seen: Array<string> = []
  let missing = prompt.missing
  for (const call of [...whole, ...begun]) {
    const { id, name } = call
    const before = prompt.calls.findLast((one) => one.id === id)
    const goesOn = call.providerExecuted && !seen.includes(id) && before?.atProvider === true &&
      before.results.length === 0 && before.message > prompt.last("user")
    const inResponse = seen.filter((one) => one === id).length
    if (!goesOn) seen.push(id)
    const key = id === ""
      ? `?${++missing}`
      : keyOf(id, prompt.occurrences(id) + inResponse + (goesOn ? 0 : 1))
    const right = Object.keys(tools.wireNames).find((one) => tools.wireNames[one] === name)
    const tell = (kind: string, scope: string, more: Partial<SlowFault> = {}) =>
      faults.push({ span: "chat", kind, scope, id, key, name: right ?? name, ...more })
    if (id === "") tell("empty_id", "response")
    else if (inResponse > 0) tell("duplicate_id", "response")
    else if (prompt.occurrences(id) > 0 && !goesOn) tell("duplicate_id", "conversation")
    if (call.providerExecuted) continue
    if (right !== undefined) tell("wire_name_mismatch", "response", { name, otherName: right })
    else if (!tools.names.includes(name)) tell("unknown_tool", "response")
    if (!tools.names.includes(right ?? name)) continue
    const declared = tools.parameters[right ?? name]
    const given = Object.keys(call.params ?? {})
    if (given.some((one) => one !== declared)) tell("dropped_argument", "response")
  }
  return faults
}

const approvalFaults = (history: SlowHistory): ReadonlyArray<SlowFault> => {
  const faults: Array<SlowFault> = []
  const tell = (kind: string, about: Partial<SlowFault>) => faults.push({ span: "turn", scope: "turn", kind, ...about })
  for (const approvalId of history.unmatched) tell("unmatched_approval", { approvalId })
  for (const { answers, approvalId, call, callId, message } of history.requests) {
    const about = { approvalId, id: callId, key: call?.key, name: call?.name }
    for (const answer of answers.slice(1)) {
      tell(answer.approved === answers[0]?.approved ? "duplicate_approval" : "contradictory_approval", about)
    }
    if (call === undefined) continue
    const leftBehind = message === history.last("assistant") && message < history.last("user")
    if (answers.length === 0 && leftBehind && call.results.length === 0) tell("abandoned_approval", about)
    const approving = answers.find((answer) => answer.approved)
    if (approving === undefined) continue
    const isOlder = history.toolResults.some((result) => result.id === callId && result.place < approving.place)
    if (isOlder && !call.results.some((result) => result > approving.place)) tell("approved_not_executed", about)
  }
  return faults
}

interface SlowRun {
  readonly taken: SlowCall
  readonly request: SlowRequest
}

/** What the host runs of the answers in a history: the last call of the id, once for each approving answer. */
const runsOf = (history: SlowHistory): ReadonlyArray<SlowRun> =>
  history.requests.flatMap((request) => request.answers.map((answer) => ({ answer, request })))
    .toSorted((one, other) => one.answer.place - other.answer.place)
    .filter(({ answer, request }) =>
      answer.approved && history.toolResults.every((result) => result.id !== request.callId)
    )
    .flatMap(({ request }) => {
      const taken = history.calls.findLast((call) => call.id === request.callId)
      return taken === undefined ? [] : [{ taken, request }]
    })

/** What tells one call from another: here its parameters, which an app of the fuzz gives to one call only. */
const callOf = (id: string, name: string, params: unknown): string => `${name} ${id} ${JSON.stringify(params)}`

const executionFaults = (
  history: SlowHistory,
  turn: TurnRecord,
  ran: Set<string>
): ReadonlyArray<SlowFault> => {
  const faults: Array<SlowFault> = []
  const expected = [...runsOf(history)]
  for (const { afterRequest, id, name, params } of turn.runs) {
    const call = callOf(id, name, params)
    const again = ran.has(call)
    ran.add(call)
    if (afterRequest) {
      if (again) faults.push({ span: "turn", scope: "turn", kind: "duplicate_execution", id, name })
      continue
    }
    const index = expected.findIndex(({ taken }) => callOf(taken.id, taken.name, taken.params) === call)
    const run = expected.splice(index, 1)[0]
    if (run === undefined) throw new Error(`the host ran ${call}, which nobody approved`)
    const about = { id, name, key: run.taken.key, approvalId: run.request.approvalId }
    if (run.request.call !== run.taken) {
      faults.push({ span: "turn", scope: "turn", kind: "approval_mismatch", ...about })
    }
    if (again) faults.push({ span: "turn", scope: "turn", kind: "duplicate_execution", ...about })
  }
  return faults
}

/** The faults of a turn; `ran` holds the calls that ran before it, and takes those of this turn. */
export const slowFaults = (turn: TurnRecord, tools: SlowTools, ran: Set<string>): ReadonlyArray<SlowFault> => {
  const history = historyOf(turn.prompt, tools)
  const faults = [
    ...approvalFaults(history),
    ...executionFaults(history, turn, ran),
    ...turn.requests.flatMap((request) => {
      const prompt = historyOf(request.prompt, tools)
      return [...prompt.faults, ...responseFaults(prompt, request.parts, tools)]
    })
  ]
  // Only names that are in the toolkit are told, and an empty id is none.
  return faults.map((fault) => ({
    ...fault,
    id: fault.id === "" ? undefined : fault.id,
    name: fault.name !== undefined && tools.names.includes(fault.name) ? fault.name : undefined
  }))
}
