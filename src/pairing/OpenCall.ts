import type { Approval, ApprovalAnswer, ApprovalState, PairedCall, PairedResult } from "./Pairing.ts"

/** A call while its history is being walked. */
export interface OpenCall extends PairedCall {
  name: string
  results: Array<PairedResult>
  approvals: Array<OpenApproval>
  state: ApprovalState
  /** Set once a second call has the id: the calls with it in one message. */
  group: Group | undefined
}

/** An approval while its history is being walked. */
export interface OpenApproval extends Approval {
  call: OpenCall | undefined
  answers: Array<ApprovalAnswer>
  state: Exclude<ApprovalState, "not_required">
}

/** The calls that share one id in one message; results and requests take them in their order. */
export interface Group {
  readonly calls: Array<OpenCall>
  answered: number
  asked: number
  /** The call that the last request was about. */
  lastAsked: OpenCall | undefined
  told: boolean
}

// Shared until the first entry: in a long history the empty lists would outnumber the calls.

/** The results of a call before the first one. */
export const noResults: Array<PairedResult> = []
/** The approvals of a call before the first one. */
export const noApprovals: Array<OpenApproval> = []
/** The answers of an approval before the first one. */
export const noAnswers: Array<ApprovalAnswer> = []

/** The group of a call, made when a second call with its id appears. */
export const groupOf = (call: OpenCall): Group =>
  call.group ??= {
    calls: [call],
    answered: call.results.length > 0 ? 1 : 0,
    asked: call.approvals.length > 0 ? 1 : 0,
    lastAsked: call.approvals.length > 0 ? call : undefined,
    told: false
  }
