/** Bun's way to give another source for a module: it has no synchronous module hooks, but plugins that a program may add. */

/** What is used of `Bun.plugin`. */
interface Build {
  readonly onLoad: (
    options: { readonly filter: RegExp },
    load: (module: { readonly path: string }) => { readonly contents: string; readonly loader: "js" }
  ) => void
}

interface Host {
  readonly Bun?: {
    readonly plugin?: (plugin: { readonly name: string; readonly setup: (build: Build) => void }) => unknown
  }
}

/**
 * Loads the modules whose path is matched by `filter` from what `source` answers for their path.
 *
 * Answers false outside of Bun. A path with a query is no match, so a source may import the module that it stands for.
 */
export const installBunHook = (filter: RegExp, source: (path: string) => string): boolean => {
  const plugin = (globalThis as Host).Bun?.plugin
  if (plugin === undefined) return false
  plugin({
    name: "toolspan",
    setup: (build) => build.onLoad({ filter }, ({ path }) => ({ contents: source(path), loader: "js" }))
  })
  return true
}
