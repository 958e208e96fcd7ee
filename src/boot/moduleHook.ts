/**
 * Reaches what effect's AI modules export, by Node's synchronous module hooks.
 *
 * A module to be reached is loaded under its own URL plus a marker; under its own URL stands a few lines that
 * re-export all of it and put other functions in place of some. Nothing is parsed, bindings stay live,
 * and every way to import the module (by path, through an index, from inside effect, by `require`) meets the same one.
 */
import * as Effect from "effect/Effect"
import { builtin, isTested, versionAt } from "./effectCopy.ts"

const Hook = Symbol.for("toolspan/moduleHook")
const MARKER = "toolspan=original"
const MODULE = /^(file:.*\/effect\/)dist\/(?:unstable\/)?ai\/(LanguageModel|Toolkit)\.js$/

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

const source = (url: string, module: keyof typeof REPLACED): string => {
  const original = JSON.stringify(`${url}${url.includes("?") ? "&" : "?"}${MARKER}`)
  return [
    `import * as original from ${original}`,
    `export * from ${original}`,
    `const replace = globalThis[Symbol.for(${JSON.stringify(Hook.description)})]`,
    ...REPLACED[module].map((name) =>
      `export const ${name} = replace(${JSON.stringify(module)}, "${name}", original.${name})`
    )
  ].join("\n")
}

/**
 * Installs the hooks for every copy of effect whose AI modules are loaded from now on.
 *
 * Answers false where the runtime has no synchronous hooks (browsers, Bun, Deno, Node before 22.15). A second call,
 * from this or another copy of toolspan, changes nothing. `skipped` hears of a copy outside the tested versions.
 */
export const installHooks = (wrappers: Wrappers, skipped: (version: string) => void = () => {}): boolean => {
  const registry = globalThis as { [Hook]?: Replace }
  if (registry[Hook] !== undefined) return true
  const registerHooks = builtin<Partial<typeof import("node:module")>>("node:module")?.registerHooks
  if (registerHooks === undefined) return false
  Object.defineProperty(registry, Hook, { value: replacement(wrappers) })
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
  registerHooks({
    load: (url, context, nextLoad) => {
      const query = url.indexOf("?")
      if (query !== -1 && url.endsWith(MARKER)) return nextLoad(url.slice(0, url.length - MARKER.length - 1), context)
      // One comparison for the thousands of modules that are none of ours.
      if (!url.includes("/effect/dist/")) return nextLoad(url, context)
      const match = MODULE.exec(query === -1 ? url : url.slice(0, query))
      if (match === null || !isTestedCopy(match[1]!)) return nextLoad(url, context)
      return { format: "module", source: source(url, match[2] as keyof typeof REPLACED), shortCircuit: true }
    }
  })
  return true
}
