/**
 * Reaches what effect's AI modules export, by the synchronous module hooks of Node and Deno or by a plugin of Bun.
 *
 * A module to be reached is loaded under its own URL plus a marker; under its own URL stands a few lines that
 * re-export all of it and put other functions in place of some. Nothing is parsed, bindings stay live,
 * and every way to import the module (by path, through an index, from inside effect, by `require`) meets the same one.
 */
import * as Effect from "effect/Effect"
import { installBunHook } from "./bunHook.ts"
import { builtin, isTested, versionAt } from "./effectCopy.ts"

const Hook = Symbol.for("toolspan/moduleHook")
const MARKER = "toolspan=original"
const MODULE = /^(file:.*\/effect\/)dist\/(?:unstable\/)?ai\/(LanguageModel|Toolkit)\.js$/
const MODULE_PATH = /[\\/]effect[\\/]dist[\\/](?:unstable[\\/])?ai[\\/](LanguageModel|Toolkit)\.js$/

/** What puts toolspan around the things that effect's AI modules make; each must give back what it knows not. */
export interface Wrappers {
  /** The parameters of `LanguageModel.make`: a provider's hooks. */
  readonly wrapProvider: (params: unknown) => unknown
  /** A `LanguageModel` service. */
  readonly wrapLanguageModel: (service: unknown) => unknown
  /** A toolkit, as `Toolkit.make`, `Toolkit.merge` and `Toolkit.empty` give it. */
  readonly wrapToolkit: (toolkit: unknown) => unknown
}

/** Which exports get another function, by module. */
const REPLACED = { LanguageModel: ["make"], Toolkit: ["make", "merge", "empty"] } as const

type Replace = (module: string, name: string, value: unknown) => unknown

const replacement = (wrappers: Wrappers): Replace => (module, _name, value) => {
  if (module === "Toolkit") {
    if (typeof value !== "function" || Object.hasOwn(value, "tools")) return wrappers.wrapToolkit(value)
    return (...args: ReadonlyArray<unknown>) => wrappers.wrapToolkit(value(...args))
  }
  const make = value as (params: unknown) => Effect.Effect<unknown>
  // The older line's `make` does not go through the service's `of`: its answer is wrapped here, once more for the newer.
  return (params: unknown) => Effect.map(make(wrappers.wrapProvider(params)), wrappers.wrapLanguageModel)
}

const marked = (specifier: string): string => `${specifier}${specifier.includes("?") ? "&" : "?"}${MARKER}`

const source = (specifier: string, module: keyof typeof REPLACED): string =>
  [
    `import * as original from ${JSON.stringify(marked(specifier))}`,
    `export * from ${JSON.stringify(marked(specifier))}`,
    `const replace = globalThis[Symbol.for(${JSON.stringify(Hook.description)})]`,
    ...REPLACED[module].map((name) =>
      `export const ${name} = replace(${JSON.stringify(module)}, "${name}", original.${name})`
    )
  ].join("\n")

/**
 * Installs the hooks for every copy of effect whose AI modules are loaded from now on.
 *
 * Answers false where the runtime has neither (browsers, Node before 22.15). A second call,
 * from this or another copy of toolspan, changes nothing. `skipped` hears of a copy outside the tested versions.
 */
export const installHooks = (wrappers: Wrappers, skipped: (version: string) => void = () => {}): boolean => {
  const registry = globalThis as { [Hook]?: Replace }
  if (registry[Hook] !== undefined) return true
  const tested = new Map<string, boolean>()
  const isTestedCopy = (root: string): boolean => {
    const known = tested.get(root)
    if (known !== undefined) return known
    const version = versionAt(root)
    const answer = version !== undefined && isTested(version)
    tested.set(root, answer)
    if (!answer) skipped(version ?? "unknown")
    return answer
  }
  /** What stands in the place of a module; `undefined` for one that is left as it is. */
  const standIn = (url: string, specifier: string): string | undefined => {
    const query = url.indexOf("?")
    const match = MODULE.exec(query === -1 ? url : url.slice(0, query))
    if (match === null || !isTestedCopy(match[1]!)) return undefined
    return source(specifier, match[2] as keyof typeof REPLACED)
  }
  const install = (): void => void Object.defineProperty(registry, Hook, { value: replacement(wrappers) })
  const registerHooks = builtin<Partial<typeof import("node:module")>>("node:module")?.registerHooks
  if (registerHooks !== undefined) {
    install()
    registerHooks({
      load: (url, context, nextLoad) => {
        if (url.endsWith(MARKER)) return nextLoad(url.slice(0, url.length - MARKER.length - 1), context)
        // One comparison for the thousands of modules that are none of ours.
        const text = url.includes("/effect/dist/") ? standIn(url, url) : undefined
        return text === undefined
          ? nextLoad(url, context)
          : { format: "module", source: text, shortCircuit: true }
      }
    })
    return true
  }
  const toUrl = builtin<typeof import("node:url")>("node:url")?.pathToFileURL
  if (toUrl === undefined) return false
  const installed = installBunHook(
    MODULE_PATH,
    // By its path: Bun forgets the query of a file's URL, and the module would import itself.
    (path) => standIn(toUrl(path).href, path) ?? `export * from ${JSON.stringify(marked(path))}`
  )
  if (installed) install()
  return installed
}
