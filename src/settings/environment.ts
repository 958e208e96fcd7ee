/** The one place that reads the environment, in Node, Bun, Deno and browsers (where it is empty). */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { definitions } from "./definition.ts"
import type { ContentName, SettingsInput } from "./settings.ts"

/** What an environment says: the settings it names, and one sentence for each value that was refused. */
export interface Reading {
  readonly input: SettingsInput
  readonly warnings: ReadonlyArray<string>
}

type Variables = Readonly<Record<string, string | undefined>>

/** The variables of this process; none where there is no process or reading it is not permitted (Deno). */
export const variables = (): Variables => {
  try {
    return (globalThis as { process?: { env?: Variables } }).process?.env ?? {}
  } catch {
    return {}
  }
}

/** Reads toolspan's settings out of `env`; a bad value counts as absent and is named in `warnings`. */
export const read = (env: Variables): Reading => {
  const warnings: Array<string> = []
  const take = <Key extends keyof typeof definitions>(
    key: Key
  ): (typeof definitions)[Key]["schema"]["Type"] | undefined => {
    const definition = definitions[key]
    let text: string | undefined
    try {
      text = env[definition.name]?.trim()
    } catch {
      return undefined
    }
    if (text === undefined || text === "") return undefined
    const value = Schema.decodeUnknownOption(definition.schema as Schema.Codec<unknown, string>)(text.toLowerCase())
    if (Option.isSome(value)) return value.value as (typeof definitions)[Key]["schema"]["Type"]
    warnings.push(
      `${definition.name}=${
        text.slice(0, 64)
      } is not ${definition.values}; using the default, ${definition.defaultText}.`
    )
    return undefined
  }
  const flag = (key: "disabled" | "sdkDisabled" | "captureMessageContent" | "metrics"): boolean | undefined => {
    const value = take(key)
    return value === undefined ? undefined : value === "true" || value === "1"
  }

  const disabled = flag("disabled")
  const sdkDisabled = flag("sdkDisabled")
  const captured = flag("captureMessageContent")
  const name: ContentName | undefined = take("content") ??
    (captured === undefined ? undefined : captured ? "all" : "off")
  const maxBytes = take("contentMaxBytes")
  return {
    input: {
      enabled: disabled === undefined && sdkDisabled === undefined
        ? undefined
        : !(disabled === true || sdkDisabled === true),
      content: {
        ...(name !== undefined && {
          arguments: name === "arguments" || name === "all",
          results: name === "results" || name === "all"
        }),
        ...(maxBytes !== undefined && { maxBytes })
      },
      carrier: take("carrier"),
      guard: take("guard"),
      metrics: flag("metrics"),
      maxOpenCalls: take("maxOpenCalls"),
      openCallTtlMillis: take("openCallTtl")
    },
    warnings
  }
}

let reading: Reading | undefined

/** What the environment of this process says, read at the first call. */
export const current = (): Reading => reading ??= read(variables())
