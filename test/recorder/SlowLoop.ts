/** What a recorder must write for a list of signals, by rules that are slow and obvious: each span with whom it links to. */
import type { ViolationKind } from "../../src/semconv/violation.ts"

/** One signal, about the call or the run at a place in the order of their beginnings. */
export type Step =
  | { readonly do: "turn" | "requested" | "responded" }
  | { readonly do: "decided"; readonly id: string; readonly arguments: unknown }
  | { readonly do: "asked"; readonly call: number; readonly approvalId: string | undefined }
  | {
    readonly do: "answered"
    readonly call: number
    readonly approvalId: string | undefined
    readonly answer: "approved" | "denied" | "abandoned"
  }
  | { readonly do: "started"; readonly call: number; readonly changed: boolean }
  | { readonly do: "ended"; readonly run: number }
  | { readonly do: "result" | "consumed"; readonly call: number }

/** A span: its operation, and its links as type and place of the other span in the order of starts. */
export interface Written {
  readonly operation: string
  readonly links: Array<readonly [type: string, to: number]>
  readonly faults: Array<ViolationKind>
}

interface Answer {
  readonly approved: boolean
  readonly span: number
}

interface Call {
  readonly id: string
  readonly span: number
  readonly asked: Map<string, { span: number; readonly answers: Array<Answer> }>
  state: "none" | "pending" | "approved" | "denied" | "abandoned"
  approvalId: string | undefined
  readonly runs: Array<Run>
  readonly results: Array<{ readonly span: number; consumed: boolean }>
}

interface Run {
  readonly span: number
  open: boolean
  readonly turn: number
}

/** The spans, and for each signal why it was refused. */
export const play = (steps: ReadonlyArray<Step>) => {
  const spans: Array<Written> = []
  const refused: Array<string | undefined> = []
  const calls: Array<Call> = []
  const runs: Array<Run> = []
  let turn = -1
  let chat: number | undefined

  const write = (operation: string, links: Array<readonly [string, number]> = []): number =>
    spans.push({ operation, links, faults: [] }) - 1
  const fault = (kind: ViolationKind): void => {
    spans[turn]!.faults.push(kind)
  }
  const endTurn = (): void => {
    for (const run of runs) if (run.turn === turn) run.open = false
    chat = undefined
  }
  const beginTurn = (): void => {
    turn = write("LanguageModel.streamText")
  }
  const inRequest = (): number => chat ??= write("chat")

  const take = (step: Step): string | undefined => {
    switch (step.do) {
      case "turn":
        endTurn()
        beginTurn()
        return
      case "requested":
        if (chat !== undefined) return "request_open"
        inRequest()
        return
      case "responded":
        if (chat === undefined) return "no_request"
        chat = undefined
        return
      case "decided":
        inRequest()
        calls.push({
          id: step.id,
          span: write("tool_call"),
          asked: new Map(),
          state: "none",
          approvalId: undefined,
          runs: [],
          results: []
        })
        return
      case "ended": {
        const run = runs[step.run]
        if (run === undefined) return
        if (!run.open) return "execution_already_ended"
        run.open = false
        return
      }
    }
    const call = calls[step.call]
    if (call === undefined) return
    switch (step.do) {
      case "asked": {
        const approvalId = step.approvalId ?? call.id
        if (call.state === "pending" && call.approvalId === approvalId) return "already_requested"
        const span = write("tool_approval", [["decided_by", call.span]])
        const known = call.asked.get(approvalId)
        if (known === undefined) call.asked.set(approvalId, { span, answers: [] })
        else known.span = span
        call.state = "pending"
        call.approvalId = approvalId
        return
      }
      case "answered": {
        const approvalId = step.approvalId ?? call.approvalId
        const known = approvalId === undefined ? undefined : call.asked.get(approvalId)
        if (known === undefined) {
          fault("unmatched_approval")
          return "unknown_approval"
        }
        if (step.answer === "abandoned") {
          if (call.state === "abandoned") return "already_abandoned"
          if (call.state !== "pending") return "not_pending"
          fault("abandoned_approval")
          write("tool_approval", [["answers", known.span]])
        } else {
          const approved = step.answer === "approved"
          const first = known.answers[0]
          if (first !== undefined) fault(first.approved === approved ? "duplicate_approval" : "contradictory_approval")
          known.answers.push({ approved, span: write("tool_approval", [["answers", known.span]]) })
        }
        call.state = step.answer
        call.approvalId = approvalId
        return
      }
      case "started": {
        if (call.runs.length > 0) fault("duplicate_execution")
        const links: Array<readonly [string, number]> = [["decided_by", call.span]]
        if (call.state === "approved") {
          if (step.changed) fault("approval_mismatch")
          const yes = call.asked.get(call.approvalId!)!.answers.filter(({ approved }) => approved).at(-1)
          if (yes !== undefined) links.push(["approved_by", yes.span])
        }
        const run = { span: write("execute_tool", links), open: true, turn }
        call.runs.push(run)
        runs.push(run)
        return
      }
      case "result": {
        if (call.runs.some(({ open }) => open)) return "execution_running"
        if (call.state === "approved" && call.runs.length === 0) fault("approved_not_executed")
        const no = call.state === "denied"
          ? call.asked.get(call.approvalId!)!.answers.filter(({ approved }) => !approved).at(-1)
          : undefined
        const to = call.runs.at(-1)?.span ?? no?.span ?? call.span
        call.results.push({ span: write("tool_result", [["result_of", to]]), consumed: false })
        return
      }
      case "consumed": {
        const request = inRequest()
        if (call.results.length === 0) return "unknown_result"
        const next = call.results.find(({ consumed }) => !consumed)
        if (next === undefined) return "result_already_consumed"
        next.consumed = true
        spans[request]!.links.push(["consumes", next.span])
        return
      }
    }
  }

  beginTurn()
  for (const step of steps) refused.push(take(step))
  return { spans, refused }
}
