import type { Violation } from "../../src/pairing/Violation.ts"

export const user = (text = "go") => ({ role: "user", content: [{ type: "text", text }] })

export const assistant = (...content: ReadonlyArray<object>) => ({ role: "assistant", content })

export const tool = (...content: ReadonlyArray<object>) => ({ role: "tool", content })

export const said = (text = "ok") => assistant({ type: "text", text })

export const call = (id: string | undefined, name = "lookup", more: object = {}) => ({
  type: "tool-call",
  id,
  name,
  params: { key: "alpha" },
  providerExecuted: false,
  ...more
})

export const result = (id: string | undefined, name = "lookup", more: object = {}) => ({
  type: "tool-result",
  id,
  name,
  isFailure: false,
  result: "v",
  providerExecuted: false,
  ...more
})

export const asked = (approvalId: string, toolCallId: string) => ({
  type: "tool-approval-request",
  approvalId,
  toolCallId
})

export const answered = (approvalId: string, approved: boolean, reason?: string) => ({
  type: "tool-approval-response",
  approvalId,
  approved,
  ...(reason === undefined ? {} : { reason })
})

/** Each violation as `kind key @message.part`. */
export const brief = (violations: ReadonlyArray<Violation>): ReadonlyArray<string> =>
  violations.map((one) => `${one.kind} ${one.key ?? "-"} @${one.message}.${one.part}`)
