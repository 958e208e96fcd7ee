/** A case file, and the blocks of it that a runner runs. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export type Run = "generateText" | "streamText" | "both" | "wire" | "prompt" | "parts" | "external"

export interface ExpectedViolation {
  readonly kind: string
  readonly id: string | null
  readonly scope: string
  readonly count: number
  readonly key?: ExpectedText
  readonly approval?: ExpectedText
  readonly other_name?: ExpectedText
  readonly truncated?: true | null
}

export type ExpectedText = string | null | { readonly matches: string }

export type ExpectedValue = string | number | boolean | ReadonlyArray<string> | { readonly absent: true } | {
  readonly matches: string
}

export interface ExpectedSpan {
  readonly name: string
  readonly count: number
  readonly where?: Readonly<Record<string, ExpectedValue>>
  readonly attributes?: Readonly<Record<string, ExpectedValue>>
  readonly status?: "UNSET" | "ERROR"
  readonly links?: ReadonlyArray<string>
  readonly no_links?: ReadonlyArray<string>
  readonly parent?: string
  readonly events?: ReadonlyArray<string>
}

export interface ExpectedTurn {
  readonly violations?: ReadonlyArray<ExpectedViolation>
  readonly spans?: ReadonlyArray<ExpectedSpan>
  readonly never?: ReadonlyArray<string>
  readonly text?: string
}

export interface Block extends ExpectedTurn {
  readonly run: Run
  readonly content?: "off" | "all"
  readonly host?: "same"
  readonly turns?: ReadonlyArray<ExpectedTurn>
  readonly also?: Block
}

export interface Case {
  readonly title: string
  readonly provider: string
  readonly kind: "response" | "stream" | "request" | "other"
  readonly tools: ReadonlyArray<string>
  readonly payload: any
  readonly assert: Block
  readonly effect_prompt?: ReadonlyArray<any>
  readonly effect_parts?: ReadonlyArray<any>
}

/** One thing to run: a block, in one way. */
export interface Job {
  readonly name: string
  readonly file: Case
  /** 0 for `assert`, 1 for `also`. */
  readonly index: number
  readonly block: Block
  readonly mode: Exclude<Run, "both">
  readonly line: "older" | "newer" | "none"
}

const providers = ["openai-compat", "openai", "anthropic"]

const lineOf = (file: Case, run: Run): Job["line"] => {
  if (run === "external") return "none"
  if (run === "wire" || run === "prompt" || run === "parts") return "newer"
  return providers.includes(file.provider) ? "older" : "newer"
}

/** What there is to run in a case: `both` is two jobs. */
export const jobsOf = (name: string, file: Case): ReadonlyArray<Job> => {
  const blocks = file.assert.also === undefined ? [file.assert] : [file.assert, file.assert.also]
  return blocks.flatMap((block, index) => {
    const modes = block.run === "both" ? ["generateText", "streamText"] as const : [block.run]
    return modes.map((mode) => ({ name, file, index, block, mode, line: lineOf(file, block.run) }))
  })
}

const required = [
  "title",
  "source",
  "group",
  "provider",
  "api",
  "kind",
  "tools",
  "payload",
  "expect",
  "assert",
  "fidelity"
]

/** Every `NN-*.json` of a folder, in the order of the names. Throws, with the file's name, on one that is no case. */
export const readCases = (folder: string): ReadonlyArray<{ readonly name: string; readonly file: Case }> =>
  readdirSync(folder).filter((name) => /^\d+-.*\.json$/.test(name)).sort().map((name) => {
    const file = JSON.parse(readFileSync(join(folder, name), "utf8"))
    const missing = required.filter((key) => !(key in file))
    if (missing.length > 0) throw new Error(`${name} is no case: it has no ${missing.join(", ")}`)
    return { name: name.replace(/\.json$/, ""), file }
  })

/** Whether the case is one of `only`: numbers with commas, or "" for all. */
export const isSelected = (name: string, only: string): boolean =>
  only === "" || only.split(",").some((number) => Number.parseInt(name, 10) === Number.parseInt(number, 10))
