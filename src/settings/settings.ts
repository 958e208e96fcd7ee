/** What toolspan does in this program, and how code, environment and defaults decide it together. */
import * as Context from "effect/Context"
import type { Effect } from "effect/Effect"
import * as Environment from "./environment.ts"

/** Which of a tool call's content may be written: nothing, its arguments, its results, or both. */
export type ContentName = "off" | "arguments" | "results" | "all"

/** Where a value that is about to be redacted stands: the toolkit name of the tool (absent for an invented one) and what the value is. */
export interface ContentPlace {
  readonly tool: string | undefined
  readonly kind: "arguments" | "result" | "failure" | "reason"
}

/**
 * Replaces a value before it is written on a span.
 *
 * `undefined` as the answer removes the value; what it throws removes the value too.
 */
export type Redactor = (value: unknown, place: ContentPlace) => unknown

/** What of a tool call's content is written, at most how many bytes of each value (UTF-8), and through which redactor. */
export interface ContentSettings {
  readonly arguments: boolean
  readonly results: boolean
  readonly maxBytes: number
  readonly redact: Redactor | undefined
}

/** A key-value store that carries span contexts between processes; Effect's `KeyValueStore` is one. */
export interface CarrierStore {
  readonly get: (key: string) => Effect<string | undefined, unknown>
  readonly set: (key: string, value: string) => Effect<void, unknown>
  readonly remove: (key: string) => Effect<void, unknown>
}

/** How span contexts reach another process: not at all, inside the tool-call parts, or by a store. */
export type Carrier = "off" | "in-band" | { readonly store: CarrierStore }

/** What happens to a broken history before it is sent: nothing, a typed error, or a repair. */
export type Guard = "off" | "strict" | "repair"

/** Every setting of toolspan with its value in force; times in milliseconds, sizes in bytes. */
export interface Settings {
  readonly enabled: boolean
  readonly content: ContentSettings
  readonly carrier: Carrier
  readonly guard: Guard
  /** The metrics of telemetry, by Effect's `Metric`: for apps whose spans no collector makes metrics of. */
  readonly metrics: boolean
  readonly maxOpenCalls: number
  readonly openCallTtlMillis: number
}

/** The settings that one source names; what it leaves out is decided by the next source. */
export interface SettingsInput {
  readonly enabled?: boolean | undefined
  readonly content?: ContentName | Partial<ContentSettings> | undefined
  readonly carrier?: Carrier | undefined
  readonly guard?: Guard | undefined
  readonly metrics?: boolean | undefined
  readonly maxOpenCalls?: number | undefined
  readonly openCallTtlMillis?: number | undefined
}

/** The settings of a program that says nothing. */
export const defaults: Settings = {
  enabled: true,
  content: { arguments: false, results: false, maxBytes: 2048, redact: undefined },
  carrier: "off",
  guard: "off",
  metrics: false,
  maxOpenCalls: 10_000,
  openCallTtlMillis: 24 * 60 * 60 * 1000
}

const contentInput = (content: SettingsInput["content"]): Partial<ContentSettings> =>
  typeof content !== "string" ? content ?? {} : {
    arguments: content === "arguments" || content === "all",
    results: content === "results" || content === "all"
  }

/** The settings in force: code beats environment beats defaults, each setting by itself. */
export const merge = (code: SettingsInput, environment: SettingsInput, base: Settings): Settings => {
  const contentOfCode = contentInput(code.content)
  const contentOfEnvironment = contentInput(environment.content)
  return {
    enabled: code.enabled ?? environment.enabled ?? base.enabled,
    content: {
      arguments: contentOfCode.arguments ?? contentOfEnvironment.arguments ?? base.content.arguments,
      results: contentOfCode.results ?? contentOfEnvironment.results ?? base.content.results,
      maxBytes: contentOfCode.maxBytes ?? contentOfEnvironment.maxBytes ?? base.content.maxBytes,
      redact: contentOfCode.redact ?? contentOfEnvironment.redact ?? base.content.redact
    },
    carrier: code.carrier ?? environment.carrier ?? base.carrier,
    guard: code.guard ?? environment.guard ?? base.guard,
    metrics: code.metrics ?? environment.metrics ?? base.metrics,
    maxOpenCalls: code.maxOpenCalls ?? environment.maxOpenCalls ?? base.maxOpenCalls,
    openCallTtlMillis: code.openCallTtlMillis ?? environment.openCallTtlMillis ?? base.openCallTtlMillis
  }
}

/** The settings that apply where a program provides none: read once from the environment, at first use. */
export const Settings: Context.Reference<Settings> = Context.Reference<Settings>("toolspan/Settings", {
  defaultValue: () => merge({}, Environment.current().input, defaults)
})
