/**
 * Import for its effect: instruments every language model, toolkit and provider client of this process.
 *
 * Starts no SDK: spans go to the tracer that the app provides. Runs in Node, Bun, Deno and browsers; where Node's
 * synchronous module hooks exist, modules that are loaded later are reached too.
 */
import * as Context from "effect/Context"
import { isTested, ownVersion, testedRange } from "./boot/effectCopy.ts"
import { installHooks } from "./boot/moduleHook.ts"
import { installServiceHook } from "./boot/serviceHook.ts"
import { warn } from "./boot/warning.ts"
import * as Toolspan from "./index.ts"
import { current } from "./settings/environment.ts"

const skipped = (version: string): void =>
  warn(
    `effect ${version} is outside the versions that toolspan is tested with ` +
      `(${testedRange.from} and later, before ${testedRange.below}): it is not instrumented.`
  )

const wrapService = (key: string, service: unknown): unknown =>
  key === "effect/ai/LanguageModel" || key === "effect/unstable/ai/LanguageModel"
    ? Toolspan.languageModel(service)
    : /^@effect\/ai-[a-z-]+\/[A-Z][A-Za-z]*Client$/.test(key)
    ? Toolspan.client(service)
    : service

const { input, warnings } = current()
if (input.enabled !== false) {
  for (const warning of warnings) warn(warning)
  const version = ownVersion()
  if (version === undefined || isTested(version)) installServiceHook(Context, wrapService)
  else skipped(version)
  installHooks({
    wrapProvider: Toolspan.provider,
    wrapLanguageModel: Toolspan.languageModel,
    wrapToolkit: Toolspan.toolkit
  }, skipped)
}
