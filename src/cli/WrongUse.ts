/** What is said of a wrong use: what is wrong, and what to do. */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import { inert } from "./InertText.ts"

/** A flag ate no value although one stands there: it begins with a dash, or it is a flag that was meant. */
const missing = /^ *Missing value for flag (--[\w-]+)/m

const unknownFlag = /^ *Unrecognized flag: (-\S*)/m

/** Longer texts are no flag or value that somebody wants to read again. */
const shownAtMost = 2_000

/** The lines that tell it. */
export const lines = (
  errors: ReadonlyArray<CliError.CliError>,
  commandPath: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const text = CliOutput.defaultFormatter({ colors: false }).formatErrors(errors).trim()
  const flag = missing.exec(text)?.[1]
  return [
    ...text.split("\n").map((line) => inert(line.length > shownAtMost ? `${line.slice(0, shownAtMost)}…` : line)),
    ...(flag === undefined ? [] : [`A value that begins with a dash is given as ${flag}=<value>`]),
    ...(flag === undefined && unknownFlag.test(text) && commandPath.at(-1) === "show"
      ? ["An id that begins with a dash is given after --"]
      : []),
    `See ${commandPath.join(" ")} --help`
  ]
}
