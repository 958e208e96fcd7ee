/** What is installed for the app: which copies of effect and OpenTelemetry, and whether toolspan knows them. */
import { isTested, testedRange } from "../boot/effectCopy.ts"
import type { Copy } from "../boot/installation.ts"
import { copiesFor, copyFor } from "../boot/installation.ts"
import type { Finding } from "./Finding.ts"
import { fail, ok, warn } from "./Finding.ts"

const range = `${testedRange.from} and later, before ${testedRange.below}`

const listed = (copies: ReadonlyArray<Copy>): string =>
  copies.map(({ folder, version }) => `${version} in ${folder}`).join("; ")

const effect = (folder: string): ReadonlyArray<Finding> => {
  const copies = copiesFor(folder, "effect")
  const own = copyFor(folder, "effect")
  if (own === undefined) {
    return [fail("effect", `none in ${folder}`, "Run toolspan doctor in the folder of the app, after npm install.")]
  }
  const others = copies.filter((copy) => copy.folder !== own.folder)
  return [
    isTested(own.version)
      ? ok("effect", `${own.version}, which toolspan is tested with`)
      : fail(
        "effect",
        `${own.version} is not one of the versions that toolspan is tested with (${range}): it is not touched`,
        "Install one of those, or a toolspan that knows this one."
      ),
    others.length === 0
      ? ok("copies of effect", "one")
      : warn(
        "copies of effect",
        `${copies.length}: ${listed(copies)}`,
        "Services of one copy are unknown to the other. npm dedupe, or an override, leaves one."
      )
  ]
}

/** Releases of the bridge carry the number of the effect that they are made for. */
const lineOf = (version: string): string => version.split(/[.-]/).slice(0, 2).join(".")

const bridge = (folder: string): Finding => {
  const about = "@effect/opentelemetry"
  const own = copyFor(folder, "effect")
  const copy = copyFor(folder, about)
  if (copy === undefined) {
    return warn(
      about,
      "not installed",
      "toolspan/register needs it, in the version of effect, for programs that provide no tracer of their own."
    )
  }
  return own === undefined || lineOf(copy.version) === lineOf(own.version)
    ? ok(about, copy.version)
    : fail(about, `${copy.version} beside effect ${own.version}`, `Install ${about}@${own.version}.`)
}

const api = (folder: string, toolspan: string): Finding => {
  const about = "@opentelemetry/api"
  const ofToolspan = copyFor(toolspan, about)
  const copies = copiesFor(folder, about)
  const all = ofToolspan === undefined || copies.some((copy) => copy.folder === ofToolspan.folder)
    ? copies
    : [...copies, ofToolspan]
  const versions = new Set(all.map((copy) => copy.version))
  if (all.length === 0) return ok(about, "none: the app's own tracer is not OpenTelemetry's")
  return versions.size === 1
    ? ok(
      about,
      `${[...versions].join()}${all.length === 1 ? "" : ` in ${all.length} copies, which share what is registered`}`
    )
    : warn(
      about,
      `${all.length} copies: ${listed(all)}`,
      "A copy refuses what another version registered: npm dedupe, or an override, leaves one."
    )
}

/** Findings about an app's folder; `toolspan` is the folder of this package. */
export const installationFindings = (folder: string, toolspan: string): ReadonlyArray<Finding> => [
  ...effect(folder),
  bridge(folder),
  api(folder, toolspan)
]
