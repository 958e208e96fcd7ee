/** The histories of the shared cases as a pi agent would have them. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Block, Case, ExpectedViolation } from "../cases/case-file.ts"

interface Part {
  readonly type: string
  readonly [key: string]: unknown
}

interface PromptMessage {
  readonly role: string
  readonly content: string | ReadonlyArray<Part>
}

/** An Effect prompt of a case. */
export type Prompt = ReadonlyArray<PromptMessage>

const partsOf = (message: PromptMessage): ReadonlyArray<Part> =>
  typeof message.content === "string" ? [] : message.content

/** Why a prompt has no form in pi's messages; `undefined` when it has one. */
export const inexpressible = (prompt: Prompt): string | undefined =>
  prompt.flatMap(partsOf).some((part) => part["providerExecuted"] === true)
    ? "pi has no calls that the provider runs"
    : undefined

/** The prompt without approvals, which are no part of pi's history: its agent waits for the human inside of the turn. */
export const withoutApprovals = (prompt: Prompt): Prompt =>
  prompt.flatMap((message) => {
    if (typeof message.content === "string") return [message]
    const content = message.content.filter((part) => !part.type.startsWith("tool-approval"))
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }]
  })

/** A history of a case, and what the case says of it by itself. */
export interface CaseHistory {
  readonly file: string
  readonly title: string
  readonly prompt: Prompt
  /** A line for each fault of the history; `undefined` where the case is about more than its history. */
  readonly expected: ReadonlyArray<string> | undefined
  readonly why: string | undefined
}

/** A fault as a line. */
export const line = (kind: string, id: string | null | undefined): string => `${kind} ${id ?? "none"}`

const blocks = (block: Block | undefined): ReadonlyArray<Block> =>
  block === undefined ? [] : [block, ...blocks(block.also)]

const expectedOf = (content: Case): ReadonlyArray<string> | undefined => {
  const block = blocks(content.assert).find((one) => one.run === "prompt")
  return block?.violations?.filter(({ scope }) => scope === "conversation").flatMap((one: ExpectedViolation) =>
    Array.from({ length: one.count }, () => line(one.kind, one.id))
  ).sort()
}

interface Payload {
  readonly prompt?: Prompt
  readonly steps?: ReadonlyArray<{ readonly prompt?: Prompt }>
}

const promptsOf = ({ effect_prompt, payload }: Case): ReadonlyArray<Prompt> => {
  const { prompt, steps = [] } = payload as Payload
  return [effect_prompt as Prompt | undefined, prompt, ...steps.map((step) => step.prompt)].filter((one) =>
    Array.isArray(one)
  )
}

const folder = path.resolve(import.meta.dirname, "../cases/cases")

/** Every history of the shared cases. */
export const histories: ReadonlyArray<CaseHistory> = fs.readdirSync(folder).filter((file) => /^\d.*\.json$/.test(file))
  .sort().flatMap((file) => {
    const content: Case = JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"))
    return promptsOf(content).map((prompt) => ({
      file,
      title: content.title,
      prompt,
      expected: expectedOf(content),
      why: inexpressible(prompt)
    }))
  })

/** The same history: a result is a message of its own, and each id is one that pi makes of a Responses call. */
export const toPi = (prompt: Prompt, itemOf = (id: unknown) => id): ReadonlyArray<object> =>
  prompt.flatMap((message): ReadonlyArray<object> => {
    if (message.role === "tool") {
      return partsOf(message).filter((part) => part.type === "tool-result").map((part) => ({
        role: "toolResult",
        toolCallId: itemOf(part["id"]),
        toolName: part["name"],
        content: [{ type: "text", text: JSON.stringify(part["result"] ?? null) }],
        isError: part["isFailure"] === true
      }))
    }
    if (message.role !== "assistant") return [{ role: message.role, content: "words" }]
    const content = partsOf(message).map((part) =>
      part.type === "tool-call"
        ? { type: "toolCall", id: itemOf(part["id"]), name: part["name"], arguments: part["params"] }
        : { type: "text", text: "words" }
    )
    return [{ role: "assistant", content, stopReason: "toolUse" }]
  })
