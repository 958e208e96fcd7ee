/** What the environment sets: bad values, the content policy, and sampling that would falsify metrics made of spans. */
import { exporter } from "../boot/exporterSetting.ts"
import { definitions } from "../settings/definition.ts"
import { read } from "../settings/environment.ts"
import { defaults, merge } from "../settings/settings.ts"
import type { Finding } from "./Finding.ts"
import { fail, ok, warn } from "./Finding.ts"

type Variables = Readonly<Record<string, string | undefined>>

const prefix = "TOOLSPAN_"

/** Read by the command, not by what runs in the app. */
const ofTheCommand: ReadonlyArray<string> = [
  "TOOLSPAN_DATA",
  "TOOLSPAN_MAX_SIZE",
  "TOOLSPAN_MAX_AGE",
  "TOOLSPAN_TOKEN",
  "TOOLSPAN_BACKEND_TOKEN"
]

/** Set by the command itself. */
const own = "TOOLSPAN_DOCTOR_REPORT"

const known: ReadonlySet<string> = new Set([
  ...Object.values(definitions).map((definition) => definition.name),
  ...ofTheCommand
])

const values = (env: Variables): ReadonlyArray<Finding> => {
  const { warnings } = read(env)
  const unknown = Object.keys(env).filter((name) => name.startsWith(prefix) && name !== own && !known.has(name))
  if (warnings.length === 0 && unknown.length === 0) return [ok("settings", "every variable has a value that is known")]
  return [
    ...warnings.map((warning) => fail("settings", warning, "Correct or remove the variable.")),
    ...unknown.map((name) =>
      warn("settings", `${name} is no variable of toolspan`, `There are: ${[...known].join(", ")}.`)
    )
  ]
}

const enabled = (env: Variables): Finding =>
  merge({}, read(env).input, defaults).enabled
    ? ok("switch", "on")
    : warn("switch", "toolspan is switched off: nothing is traced", "Remove TOOLSPAN_DISABLED and OTEL_SDK_DISABLED.")

const content = (env: Variables): Finding => {
  const { content: policy } = merge({}, read(env).input, defaults)
  const kinds = [policy.arguments ? "arguments" : undefined, policy.results ? "results" : undefined]
    .filter((kind) => kind !== undefined)
  return kinds.length === 0
    ? ok(
      "content",
      "off: no value of a call's arguments, result, failure or denial is written, unless the code says so"
    )
    : warn(
      "content",
      `${kinds.join(" and ")} are written, at most ${policy.maxBytes} bytes of each value`,
      "Whoever reads the traces reads them too. TOOLSPAN_CONTENT=off writes none; a redactor in code hides parts."
    )
}

const metrics = (env: Variables): boolean => merge({}, read(env).input, defaults).metrics

const sampling = (env: Variables): Finding => {
  const about = "sampling"
  const sampler = env["OTEL_TRACES_SAMPLER"]?.trim() || "parentbased_always_on"
  const argument = env["OTEL_TRACES_SAMPLER_ARG"]?.trim() || "1"
  const name = sampler.replace(/^parentbased_/, "")
  if (name === "always_on") return ok(about, "every trace is sent")
  if (name === "always_off") {
    return fail(
      about,
      `OTEL_TRACES_SAMPLER=${sampler}: no trace is sent`,
      "Remove the variable, or sample in the collector."
    )
  }
  if (name !== "traceidratio") {
    return warn(
      about,
      `OTEL_TRACES_SAMPLER=${sampler} is no standard sampler`,
      "The SDK may send every trace, or none."
    )
  }
  if (Number(argument) === 1) return ok(about, "every trace is sent")
  const found = `a share of ${argument} of the traces is sent`
  return metrics(env)
    ? ok(about, `${found}; metrics are made in the process, of all of them`)
    : warn(
      about,
      `${found}: metrics that a collector makes of spans count no others`,
      "Send all and sample in the collector, behind its metrics, or make them in the process: TOOLSPAN_METRICS=true."
    )
}

const sending = (env: Variables): Finding | undefined => {
  const name = exporter(env)
  return name === "none"
    ? fail("exporter", "OTEL_TRACES_EXPORTER=none: no trace is sent", "Remove the variable.")
    : name === "otlp"
    ? undefined
    : warn(
      "exporter",
      `OTEL_TRACES_EXPORTER=${name}`,
      "Spans in its queue are lost when the program calls process.exit."
    )
}

/** Findings about the variables of an environment. */
export const settingFindings = (env: Variables): ReadonlyArray<Finding> => {
  const exporting = sending(env)
  return [
    ...values(env),
    enabled(env),
    content(env),
    sampling(env),
    ...(metrics(env)
      ? [ok("metrics", "made in the process: let no collector make the same ones of its spans")]
      : []),
    ...(exporting === undefined ? [] : [exporting])
  ]
}
