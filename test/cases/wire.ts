/** The `wire` run: a request body and the toolkit go to the pure check of toolspan. */
import { check } from "../../src/pairing/Check.ts"
import type { ToolFacts } from "../../src/pairing/ToolNames.ts"
import type { Violation } from "../../src/pairing/Violation.ts"
import type { Job } from "./case-file.ts"
import { checkViolations, type ToldViolation } from "./check/violations.ts"

const wireNames: Readonly<Record<string, string>> = {
  AnthropicMemory: "memory",
  web_search: "web_search",
  code_execution: "code_execution"
}

const formats = { anthropic: "anthropic", openai: "responses", "openai-compat": "chat-completions" } as const

/** The toolkit as the check takes it: provider-defined tools with their name on the wire. */
export const wireTools = (names: ReadonlyArray<string>): ReadonlyArray<ToolFacts> =>
  names.map((name) => name in wireNames ? { name, wireName: wireNames[name], providerDefined: true } : { name })

const told = (violation: Violation): ToldViolation => ({
  kind: violation.kind,
  id: violation.id,
  scope: violation.scope,
  key: violation.key,
  approval: violation.approvalId,
  other_name: violation.otherName,
  truncated: violation.truncated
})

export const runWire = (job: Job): ReadonlyArray<string> => {
  const body = job.file.payload.sent ?? job.file.payload
  const format = formats[job.file.provider as keyof typeof formats]
  const violations = check(body, {
    tools: wireTools(job.file.tools),
    ...(format === undefined ? undefined : { format })
  })
  return checkViolations(job.block.violations ?? [], violations.map(told))
}
