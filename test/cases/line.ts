/**
 * Loaded first in every world: says which effect line this process runs on, and gives toolspan's modules a fresh
 * memory when one asks for it.
 *
 * `CASES_PACKAGES` names a folder. What toolspan, the runner and the provider packages import by name then comes from
 * there. `?generation=N` on a file of `src` goes on to all files of `src` that it imports.
 */
import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"

const packages = process.env["CASES_PACKAGES"]
const from = packages === undefined ? undefined : pathToFileURL(`${packages}/package.json`).href
const sources = new URL("../../src/", import.meta.url).href
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
    const resolved = next(specifier, context)
    const generation = parent.startsWith(sources) ? new URL(parent).searchParams.get("generation") : null
    if (generation === null || !resolved.url.startsWith(sources)) return resolved
    const url = new URL(resolved.url)
    url.searchParams.set("generation", generation)
    return { ...resolved, url: url.href }
  }
})
