/**
 * Loaded first in every world: says which effect line this process runs on.
 *
 * `CASES_PACKAGES` names a folder. What toolspan, the runner and the provider packages import by name then comes from
 * there.
 */
import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"

const packages = process.env["CASES_PACKAGES"]
const from = packages === undefined ? undefined : pathToFileURL(`${packages}/package.json`).href
const providerHook = new URL("./provider-hook.ts", import.meta.url).href

const isPackage = (specifier: string) => !/^(\.|\/|#|node:|file:|data:)/.test(specifier)

registerHooks({
  resolve: (specifier, context, next) => {
    const parent = context.parentURL ?? ""
    if (isPackage(specifier)) {
      if (/\/@effect\/ai-[a-z-]+\//.test(parent) && /^effect\/(unstable\/)?ai\/LanguageModel$/.test(specifier)) {
        return { url: providerHook, shortCircuit: true }
      }
      const ours = !parent.includes("/node_modules/")
      return next(specifier, from !== undefined && ours ? { ...context, parentURL: from } : context)
    }
    return next(specifier, context)
  }
})
